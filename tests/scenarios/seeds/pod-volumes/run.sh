# Pod → claim → volume.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod/scratch pod/folder --timeout=60s
#= pod/scratch condition met
#= pod/folder condition met
# No claim yet: the scheduler holds the Pod back.
kubectl get pod pages
#~ pages   0/1     Pending   0          …
kubectl describe pod pages
#~ …FailedScheduling…persistentvolumeclaim "pages-claim" not found…
kubectl apply -f claim.yaml
#= persistentvolume/pages-volume created
#= persistentvolumeclaim/pages-claim created
kubectl wait --for=condition=Ready pod/pages --timeout=60s
#= pod/pages condition met
kubectl get pvc
#~ pages-claim   Bound    pages-volume   10Gi       RWO            manual         <unset>                 …
kubectl get pv
#~ pages-volume   10Gi       RWO            Retain           Bound    default/pages-claim   manual         <unset>                          …
# What is in use is not taken away under a Pod.
kubectl delete pvc pages-claim --wait=false
#~ persistentvolumeclaim "pages-claim" deleted…
kubectl get pvc
#~ pages-claim   Terminating   pages-volume…
kubectl delete pod pages
#~ pod "pages" deleted…
sleep 5
kubectl get pvc
#~ No resources found in default namespace.
kubectl get pv
#~ pages-volume   10Gi       RWO            Retain           Released…
