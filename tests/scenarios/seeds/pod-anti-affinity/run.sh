# podAntiAffinity: the node of the target is the one to which the replicas do not go.
kubectl label nodes node2 team=search
kubectl apply -f target.yaml
kubectl wait --for=condition=Ready pod/target --timeout=60s
kubectl get pod target -o jsonpath='{.spec.nodeName}'
#= node2
kubectl apply -f avoiders.yaml
#= deployment.apps/avoider created
kubectl rollout status deployment/avoider --timeout=60s
#~ deployment "avoider" successfully rolled out
kubectl get pods -l app=avoider -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}'
#= node1 Running
#= node1 Running
#= node1 Running
# All nodes are one domain, and the target is in it: nothing is left.
kubectl apply -f avoiders-by-os.yaml
#= deployment.apps/stranded created
sleep 60
kubectl get deployment stranded
#~ stranded   0/3     3            0           60s
kubectl describe pods -l app=stranded
#~ Status: …Pending
#~ …FailedScheduling …0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match pod anti-affinity rules. …
