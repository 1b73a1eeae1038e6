# maxSurge and maxUnavailable set the pace of an update.
kubectl apply -f web.yaml -f half.yaml
#= deployment.apps/web created
#= deployment.apps/half created
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl rollout status deployment/half
#~ deployment "half" successfully rolled out
# With images that do not exist an update stands where its first step has brought it.
kubectl annotate deployment web kubernetes.io/change-cause=stuck
kubectl patch deployment web -p '{"spec":{"template":{"metadata":{"annotations":{"berth.dev/image":"missing"}}}}}'
#= deployment.apps/web patched
sleep 30
# At least 4 − 1 are available, at most 4 + 1 exist.
kubectl get deployment web
#~ web    3/4     2            3           …
kubectl get rs -l app=web -o jsonpath='{range .items[*]}{.spec.replicas}{"\n"}{end}' | sort
#= 2
#= 3
kubectl patch deployment half -p '{"spec":{"template":{"metadata":{"annotations":{"berth.dev/image":"missing"}}}}}'
#= deployment.apps/half patched
sleep 30
# 5 − 2 old ones stay, and 5 + 3 exist.
kubectl get deployment half
#~ half   3/5     5            3           …
kubectl get rs -l app=half -o jsonpath='{range .items[*]}{.spec.replicas}{"\n"}{end}' | sort
#= 3
#= 5
kubectl describe deployment half
#~ RollingUpdateStrategy:  50% max unavailable, 50% max surge
# Neither above nor below: no update could begin.
kubectl patch deployment web -p '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":0}}}}'
#~ The Deployment "web" is invalid: spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0
#! 1
