# A preStop hook holds the container's end up until it is done.
kubectl apply -f greeter.yaml
#= pod/greeter created
#= pod/plain created
kubectl wait --for=condition=Ready pod/greeter pod/plain --timeout=60s
#= pod/greeter condition met
#= pod/plain condition met
kubectl delete pod greeter plain --wait=false
#~ pod "greeter" deleted…
sleep 8
kubectl get pods
#~ greeter   1/1     Terminating   0          …
kubectl get pod plain
#~ …pods "plain" not found
#! 1
sleep 8
kubectl get pods
#~ No resources found in default namespace.
