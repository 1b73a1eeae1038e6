# Limits end containers, requests place Pods.
kubectl apply -f pods.yaml
#~ namespace/mem-example created
sleep 3
kubectl get pod greedy --namespace=mem-example
#~ greedy   0/1     OOMKilled   …
sleep 20
kubectl get pod greedy --namespace=mem-example
#~ greedy   0/1     CrashLoopBackOff   2 (…
kubectl get pod greedy --output=yaml --namespace=mem-example
#~     lastState:
#~       terminated:
#~         exitCode: 137
#~         reason: OOMKilled
kubectl get pod huge --namespace=mem-example
#~ huge   0/1     Pending   0          23s
kubectl describe pod huge --namespace=mem-example
#~ …FailedScheduling…0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient memory. …
kubectl get pod limited -n mem-example -o jsonpath='{.spec.containers[0].resources.requests.cpu} {.spec.containers[0].resources.requests.memory}'
#= 500m 128M
kubectl describe node $(kubectl get pod frontend -n mem-example -o jsonpath='{.spec.nodeName}')
#~ …frontend…500m (12%)    1 (25%)     128Mi (1%)       256Mi (3%)…
# The master would be too small as well.
kubectl taint nodes k8s-master1 node-role.kubernetes.io/control-plane:NoSchedule-
#= node/k8s-master1 untainted
sleep 5
kubectl describe pod huge --namespace=mem-example
#~ …FailedScheduling…0/3 nodes are available: 3 Insufficient memory. …
