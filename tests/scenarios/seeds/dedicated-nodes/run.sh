# The taint keeps others away, the label draws the team there.
kubectl taint nodes k8s-node2 dedicated=search:NoSchedule
#= node/k8s-node2 tainted
kubectl label nodes k8s-node2 dedicated=search
#= node/k8s-node2 labeled
kubectl apply -f team.yaml
kubectl rollout status deployment/own
#~ deployment "own" successfully rolled out
kubectl rollout status deployment/others
#~ deployment "others" successfully rolled out
kubectl get pods -l app=own -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort -u
#= k8s-node2
kubectl get pods -l app=others -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort -u
#= k8s-node1
