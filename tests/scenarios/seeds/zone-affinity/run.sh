# nodeAffinity in both kinds: the zone is a must, the rack a preference.
kubectl get nodes -L topology.kubernetes.io/zone -L rack
#~ NAME …ZONE …RACK
#~ west-b …antarctica-west1 …cold
kubectl apply -f picky.yaml
#= pod/picky created
kubectl wait --for=condition=Ready pod/picky --timeout=60s
kubectl get pod picky -o jsonpath='{.spec.nodeName}'
#= west-b
# Without the preferred one, another node of these zones does as well. north-a never does.
kubectl cordon west-b
kubectl cordon west-a
kubectl apply -f picky-too.yaml
kubectl wait --for=condition=Ready pod/picky-too --timeout=60s
kubectl get pod picky-too -o jsonpath='{.spec.nodeName}'
#= east-a
kubectl delete pod picky-too --grace-period=1
kubectl cordon east-a
kubectl apply -f picky-too.yaml
sleep 30
kubectl get pod picky-too
#~ picky-too   0/1     Pending   0          30s
kubectl describe pod picky-too
#~ …FailedScheduling …0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 3 node(s) were unschedulable. …
# IgnoredDuringExecution: a label that goes does not move the Pod that runs.
kubectl label node west-b topology.kubernetes.io/zone-
sleep 600
kubectl get pod picky -o wide
#~ picky   1/1     Running   0 …west-b …
