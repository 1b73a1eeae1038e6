# nodeAffinity: eight replicas that may not go to master1, and would rather go to node2. Most do; as node2 fills,
# spreading the replicas and the free room of node1 come to weigh more than the preference.
kubectl label nodes node2 team=search
kubectl taint nodes master1 node-role.kubernetes.io/master-
#= node/master1 untainted
kubectl apply -f eight.yaml
#= deployment.apps/eight created
kubectl rollout status deployment/eight --timeout=60s
#~ deployment "eight" successfully rolled out
kubectl get pods -l app=eight -o wide
#~ eight-… 1/1 …Running …node2 …<none> …<none>
kubectl get pods -l app=eight --field-selector spec.nodeName=master1
#= No resources found in default namespace.
kubectl get pods -l app=eight -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort | uniq -c | awk '{print $2, $1}'
#= node1 2
#= node2 6
# A must that no node meets is not met by a preference.
kubectl taint nodes node1 node2 kept=free:NoSchedule
#= node/node1 tainted
#= node/node2 tainted
kubectl scale deployment eight --replicas=9
sleep 60
kubectl get deployment eight
#~ eight   8/9     9            8 …
kubectl get events --field-selector reason=FailedScheduling
#~ …0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 node(s) had untolerated taint(s). …
