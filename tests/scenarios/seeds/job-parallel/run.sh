# completions: how many are to end well; parallelism: how many run at once.
kubectl apply -f batch.yaml
sleep 5
kubectl get job batch -o jsonpath='{.status.active}'
#= 2
kubectl get pods --field-selector=status.phase=Running -o name | grep -c pod/
#= 2
sleep 12
kubectl get job batch
#~ batch   Running   2/5…
kubectl get pods --field-selector=status.phase=Running -o name | grep -c pod/
#= 2
kubectl wait --for=condition=complete job/batch --timeout=120s
#= job.batch/batch condition met
kubectl get job batch
#~ batch   Complete   5/5…
kubectl get pods --field-selector=status.phase=Succeeded -o name | grep -c pod/
#= 5
