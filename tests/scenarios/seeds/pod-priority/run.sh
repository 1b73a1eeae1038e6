# Priority: who is first, and who has to go.
kubectl apply -f fill.yaml
kubectl rollout status deployment/fill
#~ deployment "fill" successfully rolled out
# No such class yet: the Pod is refused.
kubectl apply -f urgent.yaml
#~ Error from server (Forbidden): error when creating "urgent.yaml": pods "urgent" is forbidden: no PriorityClass with name high-priority was found
#! 1
kubectl apply -f classes.yaml
#= priorityclass.scheduling.k8s.io/high-priority created
#= priorityclass.scheduling.k8s.io/high-but-polite created
kubectl get priorityclasses
#~ high-priority             1000000      false            …
#~ system-node-critical      2000001000   false            …
kubectl apply -f polite.yaml
#= pod/polite created
sleep 60
kubectl get pod polite
#~ polite   0/1     Pending   0          60s
kubectl get pods -l app=fill --field-selector=status.phase=Running -o name | grep -c pod/
#= 4
kubectl describe pod polite
#~ Priority:             1000000
#~ Priority Class Name:  high-but-polite
#~ …FailedScheduling…0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. … preemption: not eligible due to preemptionPolicy=Never.
kubectl apply -f urgent.yaml
#= pod/urgent created
sleep 1
kubectl get pod urgent -o jsonpath='{.spec.priority} {.status.nominatedNodeName}'
#= 1000000
kubectl get events --field-selector reason=Preempted -o jsonpath='{range .items[*]}{.message}{"\n"}{end}'
#~ Preempted by pod … on node k8s-node…
sleep 20
kubectl get pods -l app=fill --field-selector=status.phase=Pending -o name | grep -c pod/
#= 1
# There were two of the same priority: the one that had come first took the place that the other had made.
kubectl get pods polite urgent -o jsonpath='{range .items[*]}{.status.phase}{"\n"}{end}' | sort
#~ Running
