# nodeSelector: a label that one node gets, and a Pod that asks for it.
kubectl get nodes --show-labels
#~ node2 … <none> …kubernetes.io/hostname=node2,kubernetes.io/os=linux
kubectl label nodes node2 team=search
#= node/node2 labeled
kubectl get nodes -l team=search -o name
#= node/node2
kubectl apply -f sleeper.yaml
#= pod/sleeper created
kubectl wait --for=condition=Ready pod/sleeper
#= pod/sleeper condition met
kubectl describe pod sleeper
#~ Node:…node2…
#~ Node-Selectors:…team=search
#~ Tolerations:…node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
#~ …node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
#~   Normal  Scheduled …default-scheduler …Successfully assigned default/sleeper to node2
#~   Normal  Pulling …kubelet …Pulling image "busybox"
#~   Normal  Pulled …kubelet …Successfully pulled image "busybox" in …
#~   Normal  Created …kubelet …Created container: sleeper
#~   Normal  Started …kubelet …Started container sleeper
kubectl get nodes
#~ master1 …Ready …control-plane,master …
