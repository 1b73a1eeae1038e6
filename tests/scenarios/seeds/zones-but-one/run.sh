# Zones that node affinity leaves out do not count, though they are empty.
kubectl apply -f mypod.yaml
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}' | grep -c 'node[34]'
#= 1
# A nodeSelector counts in the same way.
kubectl label nodes node1 node2 node3 node4 allowed=yes
kubectl delete pod mypod
kubectl run mypod --image=nginx --labels=foo=bar --overrides='{"spec":{"nodeSelector":{"allowed":"yes"},"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"foo":"bar"}}}]}}'
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}' | grep -c 'node[34]'
#= 1
# Without either it goes to the empty zone.
kubectl delete pod mypod
kubectl run mypod --image=nginx --labels=foo=bar --overrides='{"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"foo":"bar"}}}]}}'
kubectl wait --for=condition=Ready pod/mypod --timeout=60s
#= pod/mypod condition met
kubectl get pod mypod -o jsonpath='{.spec.nodeName}'
#= node5
