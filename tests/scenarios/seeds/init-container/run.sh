# Init containers run one after the other, and the app starts when all have ended.
kubectl apply -f shop.yaml
#= pod/shop created
sleep 1
kubectl get pod shop
#~ shop   0/1     Init:0/2   0          1s
sleep 4
kubectl get pod shop
#~ shop   0/1     Init:1/2   0          5s
kubectl get pod shop -o jsonpath='{.status.containerStatuses[0].state.waiting.reason}'
#= PodInitializing
kubectl wait --for=condition=Ready pod/shop --timeout=60s
#= pod/shop condition met
kubectl get pod shop -o jsonpath='{range .status.initContainerStatuses[*]}{.name} {.state.terminated.reason}{"\n"}{end}'
#= archive Completed
#= settings Completed
kubectl get pod shop -o jsonpath='{.status.conditions[?(@.type=="Initialized")].status}'
#= True

# The port of the node is taken: the next one goes to the other worker, and the third waits.
sed 's/name: shop}/name: shop-2}/' shop.yaml | kubectl apply -f -
#= pod/shop-2 created
sed 's/name: shop}/name: shop-3}/' shop.yaml | kubectl apply -f -
#= pod/shop-3 created
kubectl wait --for=condition=Ready pod/shop-2 --timeout=60s
#= pod/shop-2 condition met
kubectl get pods -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort -u | grep -c k8s-node
#= 2
kubectl get pod shop-3
#~ shop-3   0/1     Pending   0          …
kubectl describe pod shop-3
#~ …FailedScheduling…0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't have free ports for the requested pod ports.…
kubectl delete pod shop-2
#~ pod "shop-2" deleted…
kubectl wait --for=condition=Ready pod/shop-3 --timeout=60s
#= pod/shop-3 condition met
