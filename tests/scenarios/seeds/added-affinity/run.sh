# A profile can add to the node affinity of its Pods: a node has to meet both.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod/usual pod/lab --timeout=60s
kubectl get pods -o custom-columns=NAME:.metadata.name,SCHEDULER:.spec.schedulerName,NODE:.spec.nodeName
#= NAME      SCHEDULER           NODE
#= astray    lab-scheduler       <none>
#= lab       lab-scheduler       lab-2
#= unknown   no-such-scheduler   <none>
#= usual     default-scheduler   fast
kubectl describe pod lab
#~ …Scheduled …lab-scheduler …Successfully assigned default/lab to lab-2
# What the profile adds is not to be seen in the Pod, only in the reason.
kubectl describe pod astray
#~ Node-Selectors: …kubernetes.io/hostname=fast
#~ …FailedScheduling …lab-scheduler …0/4 nodes are available: 2 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't match scheduler-enforced node affinity. …
# A Pod for a scheduler that nobody runs waits without a word.
sleep 600
kubectl get pod unknown
#~ unknown   0/1     Pending   0 …
kubectl get events --field-selector involvedObject.name=unknown
#= No resources found in default namespace.
