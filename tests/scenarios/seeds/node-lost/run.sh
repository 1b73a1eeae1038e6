# A Pod never leaves its node: if that is lost, only a controller puts another one elsewhere.
kubectl cordon k8s-node2
#= node/k8s-node2 cordoned
kubectl apply -f web.yaml
kubectl wait --for=condition=Ready pod --all --timeout=60s
#~ pod/bare condition met
#~ pod/patient condition met
kubectl uncordon k8s-node2
#= node/k8s-node2 uncordoned
ssh k8s-node1 sudo systemctl stop kubelet
sleep 60
kubectl get node k8s-node1
#~ k8s-node1   NotReady   …
kubectl get node k8s-node1 -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'
#= Unknown
kubectl describe node k8s-node1
#~ Taints:             node.kubernetes.io/unreachable:NoExecute
#~ …node.kubernetes.io/unreachable:NoSchedule
sleep 200
# Nobody is evicted for five minutes.
kubectl get pods -l app=web -o jsonpath='{.items[*].spec.nodeName}'
#= k8s-node1
sleep 150
kubectl get pods -l app=web --field-selector=spec.nodeName=k8s-node2
#~ web-…1/1     Running   0…
kubectl get pods
#~ bare…1/1     Terminating   0…
#~ patient…1/1     Running       0…
