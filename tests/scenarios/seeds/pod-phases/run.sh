# Pending, Running, and then Succeeded or Failed: by the exit codes and the restart policy.
kubectl apply -f pods.yaml
#~ pod/works created
sleep 8
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase}{"\n"}{end}'
#= again Running
#= breaks Running
#= retries Succeeded
#= serves Running
#= waits Pending
#= works Running
kubectl get pod breaks -o jsonpath='{.status.containerStatuses[*].name}'
#= bad good
kubectl get pod breaks
#~ breaks   1/2     NotReady   0          8s
sleep 30
kubectl get pods
#~ breaks…0/2     Error…0 …
#~ retries…0/1     Completed          0 …
#~ serves…1/1     Running…0 …
#~ waits…0/1     Pending…0 …
#~ works…0/1     Completed          0 …
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.status.phase}{"\n"}{end}'
#~ breaks Failed
#~ works Succeeded
kubectl get pod breaks -o jsonpath='{.status.containerStatuses[?(@.name=="bad")].state.terminated.exitCode}'
#= 3
# What always restarts never ends; the waits between its starts grow.
kubectl get pod again -o jsonpath='{.status.phase}'
#= Running
kubectl describe pod again
#~ …BackOff…Back-off restarting failed container main in pod again_default(…)
#~ …Restart Count:…2
#~     Last State:     Terminated
#~       Exit Code:    1
# Its condition says why a Pod stays Pending.
kubectl get pod waits -o jsonpath='{.status.conditions[?(@.type=="PodScheduled")].reason}'
#= Unschedulable
# Running is not yet Ready: all its conditions tell.
kubectl get pod serves -o jsonpath='{range .status.conditions[*]}{.type}={.status}{"\n"}{end}' | sort
#= ContainersReady=True
#= Initialized=True
#= PodReadyToStartContainers=True
#= PodScheduled=True
#= Ready=True
