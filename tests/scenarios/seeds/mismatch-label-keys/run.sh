# mismatchLabelKeys: every tenant has a node pool to itself. The agents, of no tenant, do not matter.
kubectl apply -f red.yaml
kubectl rollout status deployment/red --timeout=60s
#~ deployment "red" successfully rolled out
kubectl apply -f blue.yaml
kubectl rollout status deployment/blue --timeout=60s
#~ deployment "blue" successfully rolled out
kubectl get pods -l tenant=red -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq > red.txt
kubectl get pods -l tenant=blue -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq > blue.txt
cat red.txt | wc -l
#= 1
cat red.txt blue.txt | sort | uniq
#= x
#= y
# A third tenant finds no pool, until one leaves.
kubectl apply -f green.yaml
sleep 60
kubectl get deployment green
#~ green   0/3     3            0 …
kubectl describe pods -l tenant=green
#~ …FailedScheduling …0/4 nodes are available: 4 node(s) didn't match pod anti-affinity rules. …
kubectl delete deployment blue
kubectl rollout status deployment/green --timeout=400s
#~ deployment "green" successfully rolled out
kubectl get pods -l tenant=green -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq > green.txt
cat blue.txt green.txt | sort | uniq | wc -l
#= 1
