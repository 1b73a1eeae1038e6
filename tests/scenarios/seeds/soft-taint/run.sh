# PreferNoSchedule: rather not, but if there is no other place.
kubectl taint nodes k8s-node1 special=true:PreferNoSchedule
#= node/k8s-node1 tainted
kubectl apply -f web.yaml
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get pods -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort -u
#= k8s-node2
# The other one is full now.
kubectl scale deployment web --replicas=6
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get pods -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort | uniq -c
#~ …2 k8s-node1
#~ …4 k8s-node2
