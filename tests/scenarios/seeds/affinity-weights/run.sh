# 100 against 50: away from the foe; the other way round: to the friend.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod/friend pod/foe --timeout=60s
#= pod/friend condition met
#= pod/foe condition met
kubectl apply -f chooser.yaml
kubectl wait --for=condition=Ready pod/chooser --timeout=60s
#= pod/chooser condition met
kubectl get pod chooser -o jsonpath='{.spec.nodeName}'
#= k8s-node2
sed 's/weight: 100/weight: 10/' chooser.yaml | sed 's/name: chooser/name: chooser-2/' | kubectl apply -f -
#= pod/chooser-2 created
kubectl wait --for=condition=Ready pod/chooser-2 --timeout=60s
#= pod/chooser-2 condition met
kubectl get pod chooser-2 -o jsonpath='{.spec.nodeName}'
#= k8s-node1
sed 's/weight: 100/weight: 101/' chooser.yaml | sed 's/name: chooser/name: chooser-3/' | kubectl apply -f -
#~ The Pod "chooser-3" is invalid: spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100
#! 1
