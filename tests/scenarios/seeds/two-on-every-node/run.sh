# Neither a DaemonSet nor anti-affinity gives two Pods on every node; a constraint on the spread does.
kubectl apply -f pairs.yaml
kubectl rollout status deployment/pairs --timeout=60s
#~ deployment "pairs" successfully rolled out
kubectl get pods -l app=pairs -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort | uniq -c | awk '{print $2, $1}'
#= master1 2
#= node1 2
#= node2 2
