# Two preferences of different weight: the node that meets the heavier one wins, and the must comes before both.
kubectl apply -f weighing.yaml
kubectl rollout status deployment/weighing --timeout=60s
#~ deployment "weighing" successfully rolled out
kubectl get pods -o jsonpath='{.items[*].spec.nodeName}'
#= heavy
kubectl scale deployment weighing --replicas=2
kubectl rollout status deployment/weighing --timeout=60s
kubectl get pods -o jsonpath='{.items[*].spec.nodeName}'
#= heavy heavy
# When the heavy one is closed, the light one does.
kubectl cordon heavy
kubectl scale deployment weighing --replicas=3
kubectl rollout status deployment/weighing --timeout=60s
kubectl get pods -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort
#= heavy
#= heavy
#= light
kubectl cordon light
kubectl scale deployment weighing --replicas=4
sleep 30
kubectl get pods --field-selector status.phase=Pending
#~ weighing-…   0/1     Pending   0          30s
