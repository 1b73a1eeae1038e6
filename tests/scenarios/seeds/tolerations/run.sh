# What a toleration matches. master1 is left out of it: all Pods are for node1, which gets the taint.
kubectl taint nodes node1 kept=gpu:NoSchedule
#= node/node1 tainted
kubectl apply -f pods.yaml
sleep 30
kubectl get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName
#= NAME            NODE
#= all-of-it       node1
#= any-effect      node1
#= any-value       node1
#= nothing         <none>
#= of-execution    <none>
#= other-key       <none>
#= other-value     <none>
#= said-in-full    node1
#= said-in-short   node1
kubectl describe pod other-value
#~ Tolerations: …kept=cpu:NoSchedule
#~ …FailedScheduling …2 node(s) had untolerated taint(s)…
# Exists has no value to compare.
kubectl apply -f wrong.yaml
#~ The Pod "wrong" is invalid: spec.tolerations[0].operator: Invalid value: …: value must be empty when `operator` is 'Exists'
#! 1
# PreferNoSchedule is the soft one: the other node is better, but this one will do.
kubectl taint nodes node1 kept-
#= node/node1 untainted
kubectl delete pods --all --grace-period=1
sleep 5
kubectl taint nodes node1 rather=not:PreferNoSchedule
#= node/node1 tainted
kubectl apply -f soft.yaml
kubectl wait --for=condition=Ready pod/rather-not --timeout=60s
kubectl get pod rather-not -o jsonpath='{.spec.nodeName}'
#= node2
kubectl delete pod rather-not --grace-period=1
kubectl cordon node2
#= node/node2 cordoned
kubectl apply -f soft.yaml
kubectl wait --for=condition=Ready pod/rather-not --timeout=60s
kubectl get pod rather-not -o jsonpath='{.spec.nodeName}'
#= node1
# A taint command that names no node, as one slip of the finger makes it.
kubectl taint node master1 node-role.kubernetes.io/master:NoSchedule-node/master1 untainted
#= error: all resources must be specified before taint changes: untainted
#! 1
