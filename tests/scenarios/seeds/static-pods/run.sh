# A static Pod is the kubelet's own: the API server shows a copy with the node's name behind its own.
kubectl wait --for=condition=Ready pod -n kube-system --all --timeout=60s
#~ pod/kube-apiserver-k8s-master1 condition met
#~ pod/kube-scheduler-k8s-master1 condition met
kubectl get pods -n kube-system -o wide
#~ kube-apiserver-k8s-master1…1/1     Running…k8s-master1…
#~ kube-scheduler-k8s-master1…1/1     Running…k8s-master1…
# The scheduler has had nothing to do with it, nor a controller: the node owns it.
kubectl get events -n kube-system | grep Scheduled
#! 1
kubectl get pod kube-scheduler-k8s-master1 -n kube-system -o jsonpath='{.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}'
#= Node/k8s-master1
# Deleting the copy does not end it.
kubectl delete pod kube-scheduler-k8s-master1 -n kube-system
#~ pod "kube-scheduler-k8s-master1" deleted…
sleep 10
kubectl get pod kube-scheduler-k8s-master1 -n kube-system
#~ kube-scheduler-k8s-master1   1/1     Running   0…
