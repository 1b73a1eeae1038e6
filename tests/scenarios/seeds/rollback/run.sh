# Revisions: an image that does not exist stops the update, and undo brings back what worked.
kubectl create -f web.yaml --record
#~ deployment.apps/web created
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl set image deployment/web nginx=nginx:1.19.5
#= deployment.apps/web image updated
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out

kubectl patch deployment web -p '{"spec":{"template":{"metadata":{"annotations":{"berth.dev/image":"missing"}},"spec":{"containers":[{"name":"nginx","image":"nginx:1.91"}]}}}}'
#= deployment.apps/web patched
sleep 60
kubectl get pods -l app=web
#~ web-…0/1     …Pull…
kubectl get deployment web
#~ web    3/3     1            3           …
kubectl rollout undo deployment/web
#= deployment.apps/web rolled back
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}'
#= nginx:1.19.5
# Revision 2 is now 4: a ReplicaSet has one number.
kubectl rollout history deployment/web
#~ deployment.apps/web…
#~ REVISION  CHANGE-CAUSE
#~ 1         kubectl create --filename=web.yaml --record=true
#~ 3         …
#~ 4         …
kubectl rollout history deployment/web | grep -c '^2 '
#= 0
#! 1
kubectl rollout history deployment/web --revision=1
#~ deployment.apps/web with revision #1
#~     Image:	nginx:1.14.2
kubectl rollout undo deployment/web --to-revision=1
#= deployment.apps/web rolled back
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
sleep 2
kubectl get pods -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort -u
#= nginx:1.14.2
kubectl rollout history deployment/web
#~ 5         kubectl create --filename=web.yaml --record=true
kubectl rollout undo deployment/web --to-revision=2
#~ error: unable to find specified revision 2 in history
#! 1
