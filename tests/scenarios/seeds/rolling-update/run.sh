# A changed template is a new ReplicaSet, which grows as the old one shrinks.
kubectl apply -f web.yaml
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get rs -o jsonpath='{.items[0].metadata.name}' > old
sed 's/nginx:1.14.2/nginx:1.19.5/' web.yaml | kubectl apply -f -
#= deployment.apps/web configured
kubectl rollout status deployment/web
#~ Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...
#~ Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...
#~ deployment "web" successfully rolled out
kubectl get rs $(cat old)
#~ web-…0         0         0       …
kubectl get rs -l app=web
#~ web-…3         3         3       …
kubectl get rs -o name | grep -c replicaset
#= 2
# Up and down take turns: 1, 2, 3 here, and 2, 1, 0 there.
kubectl get events --field-selector reason=ScalingReplicaSet -o jsonpath='{range .items[*]}{.message}{"\n"}{end}' | sed 's/web-[0-9a-z]*/RS/'
#= Scaled up replica set RS from 0 to 3
#= Scaled up replica set RS from 0 to 1
#= Scaled down replica set RS from 3 to 2
#= Scaled up replica set RS from 1 to 2
#= Scaled down replica set RS from 2 to 1
#= Scaled up replica set RS from 2 to 3
#= Scaled down replica set RS from 1 to 0
sleep 2
kubectl get pods -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort -u
#= nginx:1.19.5
