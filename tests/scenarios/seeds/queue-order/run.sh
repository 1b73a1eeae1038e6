# Of those that wait, the one of higher priority is tried first; who still fits is placed all the same.
kubectl apply -f pods.yaml
sleep 20
kubectl get pods --field-selector=status.phase=Pending -o name | grep -c pod/
#= 3
kubectl uncordon k8s-node1
#= node/k8s-node1 uncordoned
sleep 20
kubectl get pods
#~ high    1/1     Running   0…
#~ low     0/1     Pending   0…
#~ small   1/1     Running   0…
