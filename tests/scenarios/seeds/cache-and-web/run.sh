# A cache on every node, and a web server beside every cache: anti-affinity spreads each, affinity brings them together.
kubectl apply -f web.yaml
#= deployment.apps/web-server created
sleep 60
# Without caches there is no place for web servers.
kubectl get deployment web-server
#~ web-server   0/3     3            0 …
kubectl apply -f cache.yaml
#= deployment.apps/redis-cache created
kubectl rollout status deployment/redis-cache --timeout=60s
kubectl rollout status deployment/web-server --timeout=400s
#~ deployment "web-server" successfully rolled out
kubectl get pods -o jsonpath='{range .items[*]}{.spec.nodeName} {.metadata.labels.app}{"\n"}{end}' | sort
#= node-1 store
#= node-1 web-store
#= node-2 store
#= node-2 web-store
#= node-3 store
#= node-3 web-store
# Neither has room for a fourth.
kubectl scale deployment redis-cache web-server --replicas=4
sleep 60
kubectl get deployments
#~ redis-cache   3/4     4            3 …
#~ web-server    3/4     4            3 …
kubectl get pods --field-selector status.phase=Pending -o name | wc -l
#= 2
