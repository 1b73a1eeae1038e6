# Pods with affinity to themselves: the first may go anywhere with the key of the domain, the others follow.
kubectl apply -f flock.yaml
kubectl rollout status deployment/flock --timeout=60s
#~ deployment "flock" successfully rolled out
kubectl get pods -l app=flock -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq | wc -l
#= 1
kubectl get deployments
#~ flock     4/4     4            4 …
#~ nowhere   0/1     1            0 …
#~ shy       0/2     2            0 …
kubectl describe pods -l 'app in (shy, nowhere)'
#~ …FailedScheduling …0/4 nodes are available: 4 node(s) didn't match pod affinity rules. …
kubectl label nodes b2 example.com/room=one
kubectl rollout status deployment/nowhere --timeout=400s
#~ deployment "nowhere" successfully rolled out
kubectl get pods -l app=nowhere -o jsonpath='{.items[*].spec.nodeName}'
#= b2
