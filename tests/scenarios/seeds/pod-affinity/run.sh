# podAffinity: three replicas go where their target runs, wait while there is none, and spread once the domain is
# larger than a node.
kubectl label nodes node2 team=search
kubectl apply -f target.yaml
kubectl wait --for=condition=Ready pod/target --timeout=60s
kubectl get pods -l app=target -o wide
#~ target   1/1     Running   0 …node2 …
kubectl apply -f followers.yaml
#= deployment.apps/follower created
kubectl rollout status deployment/follower --timeout=60s
#~ deployment "follower" successfully rolled out
kubectl get pods -l app=follower -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}'
#= node2 Running
#= node2 Running
#= node2 Running
# Without the target nobody can go anywhere.
kubectl delete -f target.yaml
#~ pod "target" deleted…
kubectl delete -f followers.yaml
#~ deployment.apps "follower" deleted…
kubectl wait --for=delete pod -l app=follower --timeout=60s
kubectl apply -f followers.yaml
#= deployment.apps/follower created
sleep 18
kubectl get pods -o wide -l app=follower
#~ follower-…   0/1     Pending   0          18s   <none>   <none>   <none>           <none>
kubectl get pods -l app=follower --field-selector status.phase=Pending -o name | wc -l
#= 3
kubectl describe pods -l app=follower
#~ …FailedScheduling …0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match pod affinity rules. …
# It comes back on another node, and they follow.
kubectl label nodes node1 team=billing
kubectl apply -f target-elsewhere.yaml
kubectl rollout status deployment/follower --timeout=600s
#~ deployment "follower" successfully rolled out
kubectl get pods -l app=follower -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}'
#= node1 Running
#= node1 Running
#= node1 Running
# All nodes have the same operating system: in that domain, either node will do.
kubectl apply -f followers-by-os.yaml
#= deployment.apps/follower configured
kubectl rollout status deployment/follower --timeout=60s
#~ deployment "follower" successfully rolled out
sleep 60
kubectl get pods -l app=follower -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort | uniq
#= node1 Running
#= node2 Running
