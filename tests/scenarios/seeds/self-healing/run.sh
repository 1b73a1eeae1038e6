# A controller compares what there is with what is wanted, and acts on the difference.
kubectl apply -f web.yaml
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
# One too few: another one comes, under another name.
kubectl get pods -l app=web -o jsonpath='{.items[0].metadata.name}' > lost
kubectl delete pod $(cat lost)
#~ pod "web-…" deleted…
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get pod $(cat lost)
#~ …NotFound…
#! 1
kubectl get pods -l app=web -o name | grep -c pod/
#= 2
# One too many that carries all labels: the ReplicaSet takes it in, and takes it down.
kubectl run extra --image=nginx:1.14.2 --labels=app=web,pod-template-hash=$(kubectl get rs -o jsonpath='{.items[0].metadata.labels.pod-template-hash}')
#= pod/extra created
sleep 5
kubectl get pods -l app=web -o name | grep -c pod/web-
#= 2
kubectl get pod extra
#~ …pods "extra" not found
#! 1
# One that loses the label is let go, and replaced.
kubectl label pod $(kubectl get pods -l app=web -o jsonpath='{.items[0].metadata.name}') app=loose --overwrite
#~ pod/web-… labeled
sleep 5
kubectl get pods -l app=web -o name | grep -c pod/
#= 2
kubectl get pods -l app=loose -o jsonpath='{.items[*].metadata.name}:{.items[*].metadata.ownerReferences}'
#~ web-…:
# The ReplicaSet itself heals, too; and all goes with its owner.
kubectl delete rs -l app=web
#~ replicaset.apps "web-…" deleted…
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl delete deployment web
#~ deployment.apps "web" deleted…
sleep 5
kubectl get rs,pods -l app=web
#~ No resources found in default namespace.
