# nodeName is stronger than all rules of the scheduler; what the node cannot do, its kubelet refuses.
kubectl apply -f pods.yaml
sleep 10
kubectl get pods
#~ busy        0/1     OutOfcpu       0          10s
#~ large       0/1     OutOfmemory    0          10s
#~ on-master   1/1     Running        0          10s
#~ stranger    0/1     NodeAffinity   0          10s
kubectl get pod large -o jsonpath='{.status.message}'
#~ Pod was rejected: Node didn't have enough resource: memory, requested: 17179869184, used: 0, capacity: 8589934592
kubectl get pod busy -o jsonpath='{.status.phase}'
#= Failed
# There is no such node: nobody runs the Pod, and after a while it is taken away.
kubectl get pod nowhere
#~ nowhere   0/1     Pending   0          10s
sleep 120
kubectl get pod nowhere
#~ …pods "nowhere" not found
#! 1
