# In which namespaces the Pods of an affinity term are: in its own, in those of a list, in those of a selector, or in all.
kubectl get namespaces --show-labels
#~ shop-b …Active …kubernetes.io/metadata.name=shop-b,team=shop
kubectl apply -f pods.yaml
sleep 30
kubectl get pods -n shop-a -o custom-columns=NAME:.metadata.name,PHASE:.status.phase
#= NAME          PHASE
#= of-a-list     Running
#= of-all        Running
#= of-both       Running
#= of-the-team   Running
#= own           Pending
kubectl get pod -n shop-a of-the-team -o jsonpath='{.spec.nodeName}'
#= n1
kubectl get pod -n shop-a of-a-list -o jsonpath='{.spec.nodeName}'
#= n2
kubectl describe pod -n shop-a own
#~ …FailedScheduling …0/3 nodes are available: 3 node(s) didn't match pod affinity rules. …
kubectl apply -f quiet.yaml
kubectl wait --for=condition=Ready pod/quiet -n shop-a --timeout=60s
kubectl get pods -n shop-a --field-selector spec.nodeName=n3 -o name
#= pod/quiet
# A namespace that joins the team brings its Pods along.
kubectl delete pods -n shop-a --all --grace-period=1
kubectl label namespace ops team=shop --overwrite
#= namespace/ops labeled
kubectl cordon n1
kubectl apply -f pods.yaml
sleep 30
kubectl get pod -n shop-a of-the-team -o jsonpath='{.spec.nodeName}'
#= n2
