# nodeSelector is a must: when the only node with the label is full, the Pod waits, though another node is empty.
kubectl label nodes node2 team=search
kubectl apply -f greedy.yaml
#= pod/first created
#= pod/second created
kubectl wait --for=condition=Ready pod/first --timeout=60s
#= pod/first condition met
sleep 300
kubectl get pod second
#~ second   0/1     Pending   0          5m…
kubectl describe pod second
#~ Node:…<none>
#~ …FailedScheduling…default-scheduler  0/3 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint(s). …
# Room comes, and so does the Pod.
kubectl delete pod first --grace-period=1
kubectl wait --for=condition=Ready pod/second --timeout=60s
#= pod/second condition met
kubectl get pod second -o jsonpath='{.spec.nodeName}'
#= node2
