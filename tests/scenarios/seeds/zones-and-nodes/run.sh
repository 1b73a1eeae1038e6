# Two constraints must both hold: zone B by the first, node4 by the second.
kubectl apply -f mypod.yaml
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}'
#= node4
# They can also contradict each other: with node4 gone from the choice nothing is left.
kubectl delete pod mypod
kubectl cordon node4
kubectl apply -f mypod.yaml
sleep 10
kubectl describe pod mypod
#~ …FailedScheduling…0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match pod topology spread constraints. …
