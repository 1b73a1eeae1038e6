# A Deployment that does what a DaemonSet does: anti-affinity against itself, and a toleration for the control plane.
kubectl get nodes -o name | wc -l
#= 3
kubectl apply -f one-each.yaml
#= deployment.apps/one-each created
kubectl rollout status deployment/one-each --timeout=60s
#~ deployment "one-each" successfully rolled out
kubectl get pods -l app=one-each -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#= master1 Running
#= node1 Running
#= node2 Running
# There is no place for one more.
kubectl scale deployment one-each --replicas=4
sleep 30
kubectl get deployment one-each
#~ one-each   3/4     4            3 …
kubectl get events --field-selector reason=FailedScheduling
#~ …FailedScheduling …0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.
