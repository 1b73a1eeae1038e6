# The operators of nodeAffinity. Gt compares as numbers: 10 is more than 5. A node without the label is in no list, and
# so it is in none for NotIn.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod/in pod/not-in pod/exists pod/does-not-exist pod/gt pod/lt pod/either pod/both --timeout=60s
kubectl get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase
#= NAME             NODE     PHASE
#= both             mid      Running
#= does-not-exist   bare     Running
#= either           mid      Running
#= exists           new      Running
#= gt               new      Running
#= in               old      Running
#= lt               old      Running
#= neither          <none>   Pending
#= not-in           bare     Running
kubectl describe pod neither
#~ …FailedScheduling …0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector. …
# One number to compare with, not two.
kubectl apply -f not-a-number.yaml
#~ The Pod "not-a-number" is invalid: …matchExpressions[0].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'
#! 1
