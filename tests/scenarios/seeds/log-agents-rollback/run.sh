# The versions of a DaemonSet are ControllerRevisions, and going back makes another one.
kubectl apply -f agent.yaml
kubectl rollout status daemonset/log-agent -n kube-system
#~ daemon set "log-agent" successfully rolled out
kubectl set image daemonset/log-agent agent=registry.example/fluentd:v3.0.0 --record -n kube-system
#~ daemonset.apps/log-agent image updated
kubectl rollout status daemonset/log-agent -n kube-system
#~ daemon set "log-agent" successfully rolled out
kubectl get controllerrevision -n kube-system -l name=log-agent
#~ NAME…CONTROLLER                 REVISION   AGE
#~ log-agent-…daemonset.apps/log-agent   1          …
#~ log-agent-…daemonset.apps/log-agent   2          …
kubectl rollout history daemonset/log-agent -n kube-system
#~ 1         <none>
#~ 2         kubectl set image daemonset/log-agent agent=registry.example/fluentd:v3.0.0 --record=true --namespace=kube-system
# A revision holds the template.
kubectl describe controllerrevision -n kube-system $(kubectl get controllerrevision -n kube-system -o jsonpath='{.items[?(@.revision==2)].metadata.name}')
#~ Labels:       controller-revision-hash=…
#~ Annotations:  deprecated.daemonset.template.generation: 2
#~ …kubernetes.io/change-cause:
#~ …kubectl set image daemonset/log-agent …
#~ API Version:  apps/v1
#~       $patch:  replace
#~ …Image:…registry.example/fluentd:v3.0.0
#~ Revision:                  2
#~ Events:                    <none>
kubectl rollout undo daemonset/log-agent --to-revision=1 -n kube-system
#~ daemonset.apps/log-agent rolled back
kubectl rollout status daemonset/log-agent -n kube-system
#~ daemon set "log-agent" successfully rolled out
kubectl get pods -n kube-system -o jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}' | sort -u
#= registry.example/fluentd:v2.5.2
kubectl get controllerrevision -n kube-system -o jsonpath='{range .items[*]}{.revision}{"\n"}{end}' | sort
#= 2
#= 3
