# A StatefulSet's Pods keep their volumes.
kubectl apply -f volumes.yaml
sleep 2
kubectl get pvc -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase}{"\n"}{end}'
#= www-web-0 Bound
#= www-web-1 Bound
kubectl apply -f web.yaml
#= service/web created
#= statefulset.apps/web created
kubectl rollout status statefulset/web
#~ partitioned roll out complete: 2 new pods have been updated...
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.spec.volumes[?(@.name=="www")].persistentVolumeClaim.claimName}{"\n"}{end}'
#= web-0 www-web-0
#= web-1 www-web-1
# Scaling down leaves the claims alone, and coming back finds them again.
kubectl get pvc www-web-1 -o jsonpath='{.spec.volumeName}' > before
kubectl scale statefulset web --replicas=1
sleep 40
kubectl get pods -o name
#= pod/web-0
kubectl get pvc -o name
#= persistentvolumeclaim/www-web-0
#= persistentvolumeclaim/www-web-1
kubectl scale statefulset web --replicas=2
kubectl rollout status statefulset/web
#~ partitioned roll out complete: 2 new pods have been updated...
kubectl get pvc www-web-1 -o jsonpath='{.spec.volumeName}' > after
test "$(cat before)" = "$(cat after)"
#! 0
# For the third there is neither claim nor volume: the claim is made, and waits, and its Pod with it.
kubectl scale statefulset web --replicas=3
sleep 10
kubectl get pvc www-web-2
#~ www-web-2   Pending…manual…
kubectl get pod web-2
#~ web-2   0/1     Pending   0          10s
kubectl describe pod web-2
#~ …FailedScheduling…0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims…
