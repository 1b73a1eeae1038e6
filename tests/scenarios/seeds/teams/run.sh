# Two nodes for two teams.
kubectl label nodes k8s-node1 team=sigma
#= node/k8s-node1 labeled
kubectl label nodes k8s-node2 team=omega
#= node/k8s-node2 labeled
kubectl get nodes -L team
#~ k8s-node1…sigma
#~ k8s-node2…omega
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod/pinned pod/sigma --timeout=60s
#= pod/pinned condition met
#= pod/sigma condition met
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name}={.spec.nodeName}{"\n"}{end}'
#= kappa=
#= pinned=k8s-node2
#= sigma=k8s-node1
# With nodeName the scheduler has no part in it.
kubectl get events --field-selector reason=Scheduled,involvedObject.name=pinned
#~ No resources found in default namespace.
kubectl describe pod kappa
#~ …FailedScheduling…0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector. …
# Labels that go do not move a Pod that runs.
kubectl label nodes k8s-node1 team-
#= node/k8s-node1 unlabeled
kubectl label nodes k8s-node2 team-
#= node/k8s-node2 unlabeled
sleep 30
kubectl get pod sigma
#~ sigma   1/1     Running…
kubectl label nodes k8s-node2 team=kappa
kubectl wait --for=condition=Ready pod/kappa --timeout=60s
#= pod/kappa condition met
kubectl get pod kappa -o jsonpath='{.spec.nodeName}'
#= k8s-node2
