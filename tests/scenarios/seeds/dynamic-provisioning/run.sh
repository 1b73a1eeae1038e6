# No volume is there: the class's provisioner makes one.
kubectl create -f class.yaml
#= storageclass.storage.k8s.io/managed-nfs created
kubectl create -f claim.yaml
#= persistentvolumeclaim/shared created
#= pod/pages created
kubectl wait --for=condition=Ready pod/pages --timeout=60s
#= pod/pages condition met
kubectl get pvc
#~ shared   Bound    pvc-…   500Mi      RWX            managed-nfs    <unset>                 …
kubectl get pv
#~ pvc-…   500Mi      RWX            Delete           Bound    default/shared   managed-nfs    <unset>                          …
kubectl create -f set.yaml
#= statefulset.apps/db created
kubectl rollout status statefulset/db
#~ partitioned roll out complete: 1 new pods have been updated...
kubectl get pvc data-db-0
#~ data-db-0   Bound    pvc-…   1Gi        RWO            managed-nfs    <unset>                 …
kubectl get pv -o name | grep -c persistentvolume/pvc-
#= 2
# The volume goes with its claim.
kubectl delete pod pages
kubectl delete pvc shared
#~ persistentvolumeclaim "shared" deleted…
sleep 5
kubectl get pv -o jsonpath='{.items[*].spec.claimRef.name}'
#= data-db-0
