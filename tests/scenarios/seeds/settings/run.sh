# Settings mean nothing to scheduling: the Pod runs to its end.
kubectl apply -f app.yaml
#~ pod/printer created
sleep 5
kubectl get pod printer
#~ printer   0/1     Completed   0          5s
kubectl get pod printer -o jsonpath='{.status.phase}'
#= Succeeded
