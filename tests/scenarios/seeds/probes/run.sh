# startup → readiness and liveness; what each of them does when it fails.
kubectl apply -f proxy.yaml
#= pod/proxy created
sleep 20
# It runs, but has not started yet: neither ready, nor asked whether it lives.
kubectl get pod proxy
#~ proxy   0/1     Running   0          20s
kubectl get pod proxy -o jsonpath='{.status.containerStatuses[0].started}'
#= false
kubectl wait --for=condition=Ready pod/proxy --timeout=60s
#= pod/proxy condition met
kubectl get pod proxy -o jsonpath='{.spec.nodeName}' > where
# A readiness probe that fails takes the Pod out of service, and does no more.
sleep 75
kubectl get pod proxy
#~ proxy   0/1     Running   0          …
sleep 30
kubectl get pod proxy
#~ proxy   1/1     Running   0          …
# A liveness probe that fails ends the container, and the Pod starts it again: on the same node.
sleep 100
kubectl describe pod proxy
#~ …Unhealthy…Startup probe failed…
#~ …Unhealthy…Readiness probe failed…
#~ …Unhealthy…Liveness probe failed…
#~ …Killing…Container proxy failed liveness probe, will be restarted
kubectl get pod proxy -o jsonpath='{.status.containerStatuses[0].restartCount}'
#= 1
kubectl get pod proxy -o jsonpath='{.spec.nodeName}' > where-then
test "$(cat where)" = "$(cat where-then)"
#! 0
