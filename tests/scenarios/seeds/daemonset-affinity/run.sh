# A DaemonSet for some nodes: by nodeAffinity the controller makes fewer Pods, by podAffinity fewer of them find room.
kubectl apply -f by-node.yaml
kubectl rollout status ds/by-node --timeout=60s
#~ daemon set "by-node" successfully rolled out
kubectl get ds by-node
#~ by-node   2         2         2       2            2 …
kubectl get pods -l app=by-node -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort
#= a
#= b
kubectl apply -f by-pod.yaml
sleep 60
kubectl get ds by-pod
#~ by-pod   3         3         1       3            1 …
kubectl get pods -l app=by-pod -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#=  Pending
#=  Pending
#= b Running
kubectl describe pods -l app=by-pod
#~ …FailedScheduling …default-scheduler …0/3 nodes are available: 1 node(s) didn't match pod affinity rules…
