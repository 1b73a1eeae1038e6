# When memory runs out the kubelet evicts: BestEffort first, then who is above its requests, Guaranteed last.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod --all --timeout=30s
#~ pod/guaranteed condition met
sleep 30
kubectl get node k8s-node1 -o jsonpath='{.status.conditions[?(@.type=="MemoryPressure")].status}'
#= False
sleep 50
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase} {.status.reason}{"\n"}{end}'
#= best-effort Failed Evicted
#= burstable Running
#= guaranteed Running
kubectl get pod best-effort -o jsonpath='{.status.reason}: {.status.message}'
#~ Evicted: The node was low on resource: memory. Threshold quantity: …
kubectl get node k8s-node1 -o jsonpath='{.status.conditions[?(@.type=="MemoryPressure")].status}'
#= True
kubectl describe node k8s-node1
#~ Taints:…node.kubernetes.io/memory-pressure:NoSchedule
sleep 60
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase} {.status.reason}{"\n"}{end}'
#= best-effort Failed Evicted
#= burstable Failed Evicted
#= guaranteed Running
kubectl get events --field-selector reason=Evicted -o jsonpath='{range .items[*]}{.involvedObject.name}{"\n"}{end}'
#= best-effort
#= burstable
