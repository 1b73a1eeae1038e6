# Affinity between Pods: required, it waits; preferred, it gives way.
kubectl apply -f near.yaml
#= pod/near created
sleep 60
kubectl get pod near
#~ near   0/1     Pending   0          60s
kubectl describe pod near
#~ …FailedScheduling…0/4 nodes are available: 1 node(s) had untolerated taint(s), 3 node(s) didn't match pod affinity rules. …
kubectl apply -f guard.yaml
#= pod/guard created
kubectl wait --for=condition=Ready pod/near --timeout=60s
#= pod/near condition met
kubectl get pod near -o jsonpath='{.spec.nodeName}'
#= k8s-node3
kubectl apply -f far.yaml
kubectl wait --for=condition=Ready pod/quiet --timeout=60s
#= pod/quiet condition met
kubectl get pod quiet -o jsonpath='{.spec.nodeName}'
#= k8s-node2
# Full: it goes beside them all the same.
kubectl cordon k8s-node2
sed 's/name: quiet}/name: quiet-2}/' far.yaml | kubectl apply -f -
#~ pod/quiet-2 created
kubectl wait --for=condition=Ready pod/quiet-2 --timeout=60s
#= pod/quiet-2 condition met
