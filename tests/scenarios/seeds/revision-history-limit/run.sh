# Without a history there is no way back.
kubectl apply -f web.yaml
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl set image deployment/web nginx=nginx:1.19.5
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
sleep 5
kubectl get rs -o name | grep -c replicaset
#= 1
kubectl rollout undo deployment/web
#~ error: no rollout history found for deployment "web"
#! 1
# Two are kept of four updates.
kubectl patch deployment web -p '{"spec":{"revisionHistoryLimit":2}}'
kubectl set image deployment/web nginx=nginx:1.20
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl set image deployment/web nginx=nginx:1.21
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl set image deployment/web nginx=nginx:1.22
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
sleep 5
kubectl rollout history deployment/web
#~ 3         <none>
#~ 4         <none>
#~ 5         <none>
kubectl get rs -o name | grep -c replicaset
#= 3
