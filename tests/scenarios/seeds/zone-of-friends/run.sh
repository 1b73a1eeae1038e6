# podAffinity as a must over zones, podAntiAffinity as a preference.
kubectl apply -f guest.yaml
sleep 30
kubectl describe pod guest
#~ Status: …Pending
#~ …FailedScheduling …0/4 nodes are available: 4 node(s) didn't match pod affinity rules. …
kubectl apply -f disliked-too.yaml
kubectl wait --for=condition=Ready pod/disliked-too --timeout=60s
kubectl apply -f others.yaml
kubectl wait --for=condition=Ready pod/guest --timeout=60s
#= pod/guest condition met
# Zone V has the friend. There v1 is left, for the other one is on v2.
kubectl get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName
#= NAME           NODE
#= disliked       r1
#= disliked-too   v2
#= guest          v1
#= liked          v1
# A preference is no must: with v1 closed, v2 will do. Zone R never does.
kubectl delete pod guest --grace-period=1
kubectl cordon v1
kubectl apply -f guest.yaml
kubectl wait --for=condition=Ready pod/guest --timeout=60s
kubectl get pod guest -o jsonpath='{.spec.nodeName}'
#= v2
# Numbers are only compared in node affinity, and a domain has to have a key.
kubectl apply -f wrong-operator.yaml
#~ The Pod "wrong" is invalid: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].operator: Invalid value: "Gt": not a valid selector operator
#! 1
kubectl apply -f no-topology.yaml
#~ The Pod "wrong" is invalid:…
#~ …spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty…
#! 1
