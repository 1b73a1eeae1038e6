# Ordinals: up from 0, each when the one before is ready; down from the highest, one at a time.
kubectl create -f web.yaml
#= service/web created
#= statefulset.apps/web created
kubectl get service web
#~ web    ClusterIP   None         <none>        80/TCP    …
sleep 5
kubectl get pods
#~ web-0   0/1     Running   0          5s
kubectl get pods -o name
#= pod/web-0
sleep 10
kubectl get pods -o name
#= pod/web-0
#= pod/web-1
kubectl rollout status statefulset/web
#~ partitioned roll out complete: 3 new pods have been updated...
kubectl get events --field-selector reason=SuccessfulCreate -o jsonpath='{range .items[*]}{.message}{"\n"}{end}'
#= Create Pod web-0 in StatefulSet web successful
#= Create Pod web-1 in StatefulSet web successful
#= Create Pod web-2 in StatefulSet web successful
# A Pod that is deleted comes back under its name.
kubectl get pod web-1 -o jsonpath='{.metadata.uid}' > uid
kubectl delete pod web-1
#~ pod "web-1" deleted…
kubectl wait --for=condition=Ready pod/web-1 --timeout=60s
#= pod/web-1 condition met
kubectl get pod web-1 -o jsonpath='{.metadata.uid}' > uid-then
test "$(cat uid)" = "$(cat uid-then)"
#! 1
kubectl get pod web-1 -o jsonpath='{.spec.hostname}.{.spec.subdomain}'
#= web-1.web
# Down: 2 before 1 before 0.
kubectl scale statefulset web --replicas=0
#= statefulset.apps/web scaled
sleep 30
kubectl get events --field-selector reason=SuccessfulDelete -o jsonpath='{range .items[*]}{.message}{"\n"}{end}'
#= Delete Pod web-2 in StatefulSet web successful
#= Delete Pod web-1 in StatefulSet web successful
#= Delete Pod web-0 in StatefulSet web successful
kubectl get pods
#~ No resources found in default namespace.
