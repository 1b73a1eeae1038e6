# One constraint: two in zone A and one in zone B, so the next goes to B.
kubectl get nodes -L zone
#~ node1…zoneA
#~ node4…zoneB
kubectl apply -f mypod.yaml
#= pod/mypod created
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}' | grep -c 'node[34]'
#= 1
kubectl delete pod mypod
# By node instead of zone only the empty one is left.
sed 's/topologyKey: zone/topologyKey: node/' mypod.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}'
#= node4
kubectl delete pod mypod
# Zone B takes nobody: with a skew of 1 the Pod waits, with 2 it may go to zone A.
kubectl cordon node3 node4
kubectl apply -f mypod.yaml
sleep 10
kubectl describe pod mypod
#~ …FailedScheduling…0/4 nodes are available: 2 node(s) didn't match pod topology spread constraints, 2 node(s) were unschedulable. …
kubectl delete pod mypod
sed 's/maxSkew: 1/maxSkew: 2/' mypod.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}' | grep -c 'node[12]'
#= 1
kubectl delete pod mypod
# Or with a wish instead of a rule.
sed 's/DoNotSchedule/ScheduleAnyway/' mypod.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl delete pod mypod
kubectl uncordon node3 node4
sed 's/DoNotSchedule/ScheduleAnyway/' mypod.yaml | kubectl apply -f -
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}' | grep -c 'node[34]'
#= 1
kubectl explain Pod.spec.topologySpreadConstraints
#~ FIELD: topologySpreadConstraints <[]TopologySpreadConstraint>
#~   maxSkew	<integer> -required-
