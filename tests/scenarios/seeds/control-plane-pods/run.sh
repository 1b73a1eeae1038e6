# The four components of a control plane are static Pods: they run before there is a scheduler, under the name of the node.
kubectl wait --for=condition=Ready pod --all -n kube-system --timeout=60s
kubectl get pods -n kube-system
#~ etcd-master …1/1     Running   0 …
#~ kube-apiserver-master …1/1     Running   0 …
#~ kube-controller-manager-master …1/1     Running   0 …
#~ kube-scheduler-master …1/1     Running   0 …
kubectl get events -n kube-system --field-selector reason=Scheduled
#= No resources found in kube-system namespace.
# No taint moves them, not even one that evicts.
kubectl taint node master broken=yes:NoExecute
sleep 600
kubectl get pods -n kube-system -o jsonpath='{.items[*].status.phase}'
#= Running Running Running Running
