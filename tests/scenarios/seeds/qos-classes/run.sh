# Guaranteed, Burstable, BestEffort.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod --all --timeout=60s
#~ pod/guaranteed condition met
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.status.qosClass}{"\n"}{end}'
#= almost Burstable
#= best-effort BestEffort
#= burstable Burstable
#= guaranteed Guaranteed
#= limits-only Guaranteed
kubectl describe pod guaranteed
#~ QoS Class:…Guaranteed
kubectl get pod guaranteed --output=yaml
#~   qosClass: Guaranteed
#~         cpu: 700m
#~         memory: 200Mi
