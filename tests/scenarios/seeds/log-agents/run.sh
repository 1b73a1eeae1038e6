# On every node there is one, also on those that come later; what is on a node goes with it.
kubectl apply -f agent.yaml
#= daemonset.apps/log-agent created
kubectl rollout status daemonset/log-agent -n kube-system
#~ daemon set "log-agent" successfully rolled out
kubectl get daemonset -n kube-system
#~ log-agent   3         3         3       3            3           <none>          …
kubectl get pods -n kube-system -l name=log-agent -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | sort
#= k8s-master1
#= k8s-node1
#= k8s-node2
kubectl apply -f node3.yaml
#= node/k8s-node3 created
sleep 5
kubectl get daemonset -n kube-system
#~ log-agent   4         4         4       4            4           <none>          …
kubectl delete node k8s-node3
#~ node "k8s-node3" deleted
sleep 60
kubectl get daemonset -n kube-system
#~ log-agent   3         3         3       3            3           <none>          …
kubectl get pods -n kube-system -l name=log-agent -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | grep -c node3
#= 0
#! 1
# The controller says by node affinity where each of them goes; the scheduler binds it there.
kubectl get pods -n kube-system -o jsonpath='{.items[0].spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key}'
#= metadata.name
kubectl get events -n kube-system --field-selector reason=Scheduled -o jsonpath='{range .items[*]}{.reportingComponent}{"\n"}{end}' | sort -u
#= default-scheduler
# Tolerations that each of them gets.
kubectl get pods -n kube-system -o jsonpath='{range .items[0].spec.tolerations[*]}{.key} {.effect}{"\n"}{end}'
#= node-role.kubernetes.io/control-plane NoSchedule
#= node.kubernetes.io/not-ready NoExecute
#= node.kubernetes.io/unreachable NoExecute
#= node.kubernetes.io/disk-pressure NoSchedule
#= node.kubernetes.io/memory-pressure NoSchedule
#= node.kubernetes.io/pid-pressure NoSchedule
#= node.kubernetes.io/unschedulable NoSchedule
# So a node that takes no other Pods keeps it, and gets it again.
kubectl cordon k8s-node1
#= node/k8s-node1 cordoned
kubectl delete pod -n kube-system --field-selector=spec.nodeName=k8s-node1
#~ pod "log-agent-…" deleted from kube-system namespace
sleep 5
kubectl get pods -n kube-system --field-selector=spec.nodeName=k8s-node1
#~ log-agent-…1/1     Running…
