# While one of its Pods is not well a StatefulSet does not shrink further.
kubectl create -f web.yaml
kubectl rollout status statefulset/web
#~ partitioned roll out complete: 3 new pods have been updated...
sleep 70
kubectl get statefulset web
#~ web    0/3…
kubectl scale statefulset web --replicas=1
#= statefulset.apps/web scaled
sleep 30
kubectl get pods -o name
#= pod/web-0
#= pod/web-1
#= pod/web-2
# They have recovered: 2 goes first, then 1.
sleep 120
kubectl get pods
#~ web-0   1/1     Running   0…
kubectl get pods -o name
#= pod/web-0
