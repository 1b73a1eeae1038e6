# NoExecute: who does not tolerate the taint is evicted at once, who tolerates it for some seconds, after them.
kubectl apply -f apps.yaml
kubectl wait --for=condition=Ready pod --all --timeout=60s
kubectl rollout status deployment/web --timeout=60s
#~ deployment "web" successfully rolled out
kubectl get pods -l app=web -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort
#= node1
#= node2
kubectl taint nodes node2 repair=yes:NoExecute
#= node/node2 tainted
kubectl describe node node2
#~ Taints: …repair=yes:NoExecute
sleep 35
kubectl get pod plain
#~ Error from server (NotFound): pods "plain" not found
#! 1
kubectl get events --field-selector involvedObject.name=plain
#~ …Normal …TaintManagerEviction …pod/plain …Marking for deletion Pod default/plain
#~ …Normal …Killing …pod/plain …Stopping container app
kubectl get pods -l app=web -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}'
#= node1 Running
#= node1 Running
kubectl get pod minute for-ever -o jsonpath='{range .items[*]}{.status.phase}{"\n"}{end}'
#= Running
#= Running
sleep 60
kubectl get pod minute
#~ Error from server (NotFound): pods "minute" not found
#! 1
sleep 3600
kubectl get pod for-ever
#~ for-ever   1/1     Running   0 …
# Nor do new Pods come.
kubectl scale deployment web --replicas=4
kubectl rollout status deployment/web --timeout=60s
#~ deployment "web" successfully rolled out
kubectl get pods --field-selector spec.nodeName=node2 -o name
#= pod/for-ever
