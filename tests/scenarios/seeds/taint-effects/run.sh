# NoSchedule keeps Pods from coming; NoExecute sends those away that are there.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod --all --timeout=60s
#~ pod/plain condition met
kubectl taint nodes k8s-node1 key1=value1:NoSchedule
#= node/k8s-node1 tainted
kubectl apply -f late.yaml
kubectl wait --for=condition=Ready pod/welcome --timeout=60s
#= pod/welcome condition met
sleep 60
kubectl get pods
#~ equal      1/1     Running   0…
#~ exists     1/1     Running   0…
#~ late       0/1     Pending   0…
#~ minute     1/1     Running   0…
#~ mistaken   0/1     Pending   0…
#~ plain      1/1     Running   0…
#~ welcome    1/1     Running   0…
kubectl describe pod mistaken
#~ …FailedScheduling…2 node(s) had untolerated taint(s)…
kubectl taint nodes k8s-node1 key1=value1:NoSchedule-
#= node/k8s-node1 untainted
kubectl wait --for=condition=Ready pod/late pod/mistaken --timeout=60s
#= pod/late condition met
#= pod/mistaken condition met

kubectl taint nodes k8s-node1 key1=value1:NoExecute
#= node/k8s-node1 tainted
sleep 40
# Who tolerates it stays: for good, or for its time.
kubectl get pods -o name
#= pod/equal
#= pod/exists
#= pod/minute
kubectl get events --field-selector involvedObject.name=plain
#~ …TaintManagerEviction…Marking for deletion Pod default/plain
sleep 30
kubectl get pods -o name
#= pod/equal
#= pod/exists
