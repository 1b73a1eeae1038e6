# Of the nodes that are left after filtering, the one with the most free gets the Pod.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod --all --timeout=60s
#~ pod/much condition met
kubectl run next --image=nginx --overrides='{"spec":{"containers":[{"name":"next","image":"nginx","resources":{"requests":{"cpu":"500m","memory":"1Gi"}}}]}}'
kubectl wait --for=condition=Ready pod/next --timeout=60s
#= pod/next condition met
kubectl get pod next -o jsonpath='{.spec.nodeName}'
#= k8s-node2
# What does not fit anywhere stays Pending until it does.
kubectl run wide --image=nginx --overrides='{"spec":{"containers":[{"name":"wide","image":"nginx","resources":{"requests":{"cpu":"3500m"}}}]}}'
sleep 30
kubectl get pod wide
#~ wide   0/1     Pending   0          30s
kubectl delete pod little next
kubectl wait --for=condition=Ready pod/wide --timeout=60s
#= pod/wide condition met
