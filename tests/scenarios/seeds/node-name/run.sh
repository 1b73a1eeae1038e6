# nodeName: the scheduler has no say, only the kubelet of that node.
kubectl apply -f named.yaml
sleep 30
kubectl get pods
#~ there             1/1     Running …0 …
#~ mismatched        0/1     NodeAffinity …0 …
#~ too-much-cpu      0/1     OutOfcpu …0 …
#~ too-much-memory   0/1     OutOfmemory …0 …
# The taint keeps the scheduler away from kube-01, not the Pod.
kubectl get pod there -o jsonpath='{.spec.nodeName}'
#= kube-01
kubectl get events --field-selector reason=Scheduled
#= No resources found in default namespace.
kubectl describe pod too-much-cpu
#~ Status: …Failed
#~ Reason: …OutOfcpu
#~ Message: …Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000
#~ …Warning …OutOfcpu …kubelet …Node didn't have enough resource: cpu, requested: 3000, used: 0, capacity: 2000
# No kubelet answers to the name of a node that is not there. After some time the Pod is cleaned away.
kubectl apply -f nowhere.yaml
#= pod/nowhere created
kubectl get pod nowhere -o wide
#~ nowhere   0/1     Pending   0 …kube-99 …
sleep 600
kubectl get pod nowhere
#~ Error from server (NotFound): pods "nowhere" not found
#! 1
