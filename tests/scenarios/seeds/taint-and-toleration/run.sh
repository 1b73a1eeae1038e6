# Taints: Pods stay away from the control plane, unless they tolerate its taint.
kubectl describe node master1
#~ Name: …master1
#~ Roles: …control-plane,master
#~ Taints: …node-role.kubernetes.io/master:NoSchedule
#~ Unschedulable: …false
kubectl apply -f plain.yaml
kubectl rollout status deployment/plain --timeout=60s
#~ deployment "plain" successfully rolled out
kubectl get pods -l app=plain -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort | uniq -c | awk '{print $2, $1}'
#= node1 2
#= node2 2
# NoSchedule keeps new Pods off node2. The Pods that run there stay.
kubectl taint nodes node2 test=node2:NoSchedule
#= node/node2 tainted
sleep 600
kubectl get pods -l app=plain --field-selector spec.nodeName=node2,status.phase=Running -o name | wc -l
#= 2
kubectl scale deployment plain --replicas=8
#= deployment.apps/plain scaled
kubectl rollout status deployment/plain --timeout=60s
#~ deployment "plain" successfully rolled out
kubectl get pods -l app=plain -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort | uniq -c | awk '{print $2, $1}'
#= node1 6
#= node2 2
# With a toleration the control plane is a node like the others; node2 is not, its taint is another one.
kubectl apply -f tolerant.yaml
#= deployment.apps/tolerant created
kubectl rollout status deployment/tolerant --timeout=60s
#~ deployment "tolerant" successfully rolled out
kubectl get pods -l app=tolerant -o wide
#~ tolerant-… 1/1 …Running …master1 …
kubectl get pods -l app=tolerant --field-selector spec.nodeName=node2
#= No resources found in default namespace.
# The taint goes by its key alone.
kubectl taint nodes node2 test-
#= node/node2 untainted
kubectl scale deployment plain --replicas=12
kubectl rollout status deployment/plain --timeout=60s
#~ deployment "plain" successfully rolled out
kubectl get pods -l app=plain -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort | uniq -c | awk '{print $2, $1}'
#= node1 6
#= node2 6
