# Troubles of a node become taints of it, and go with them.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod --all --timeout=60s
#~ pod/usual condition met
kubectl get pod usual -o jsonpath='{range .spec.tolerations[*]}{.key} {.effect} {.tolerationSeconds}{"\n"}{end}'
#= node.kubernetes.io/not-ready NoExecute 300
#= node.kubernetes.io/unreachable NoExecute 300
ssh k8s-node1 systemctl stop kubelet
sleep 60
kubectl get nodes
#~ k8s-node1     NotReady   <none>…
kubectl get node k8s-node1 -o jsonpath='{range .spec.taints[*]}{.key}:{.effect}{"\n"}{end}' | sort
#= node.kubernetes.io/unreachable:NoExecute
#= node.kubernetes.io/unreachable:NoSchedule
kubectl get events --field-selector reason=TaintManagerEviction -o jsonpath='{range .items[*]}{.involvedObject.name}{"\n"}{end}'
#= hasty
# The network is back in time for the others.
sleep 120
ssh k8s-node1 systemctl start kubelet
sleep 10
kubectl get node k8s-node1 -o jsonpath='{.spec.taints}'
kubectl get nodes
#~ k8s-node1     Ready    <none>…
kubectl get pods
#~ patient   1/1     Running   0…
#~ usual     1/1     Running   0…
# What a node reports of memory and disk keeps new Pods away.
kubectl cordon k8s-node1
#= node/k8s-node1 cordoned
kubectl get nodes
#~ k8s-node1     Ready,SchedulingDisabled…
kubectl describe node k8s-node1
#~ Taints:             node.kubernetes.io/unschedulable:NoSchedule
