# While a Deployment is paused its template may change as often as one likes; all of it is one update.
kubectl apply -f web.yaml
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl rollout pause deployment/web
#= deployment.apps/web paused
kubectl set image deployment/web nginx=nginx:1.19.4
#= deployment.apps/web image updated
kubectl set image deployment/web nginx=nginx:1.19.5
#= deployment.apps/web image updated
kubectl set resources deployment/web --limits=cpu=200m,memory=128Mi
#= deployment.apps/web resource requirements updated
sleep 60
kubectl get rs -o name | grep -c replicaset
#= 1
kubectl get pods -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort -u
#= nginx:1.14.2
kubectl rollout undo deployment/web
#~ error: no rollout history found for deployment "web"
#! 1
# It can still be scaled.
kubectl scale deployment web --replicas=5
sleep 10
kubectl get deployment web
#~ web    5/5     0            5           …
kubectl rollout resume deployment/web
#= deployment.apps/web resumed
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get rs -o name | grep -c replicaset
#= 2
kubectl rollout history deployment/web
#~ 1         <none>
#~ 2         <none>
sleep 2
kubectl get pods -o jsonpath='{range .items[*]}{.spec.containers[0].image} {.spec.containers[0].resources.limits.cpu}{"\n"}{end}' | sort -u
#= nginx:1.19.5 200m
