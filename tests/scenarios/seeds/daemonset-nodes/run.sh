# A DaemonSet: one Pod on every node, without a number of replicas.
kubectl apply -f agent.yaml
#= daemonset.apps/agent created
kubectl rollout status daemonset/agent --timeout=60s
#~ daemon set "agent" successfully rolled out
kubectl get ds
#~ NAME    DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE
#~ agent   3         3         3       3            3           <none> …
kubectl get pods -l app=agent-pod -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#= node-01 Running
#= node-02 Running
#= node-03 Running
# Who deletes a Pod of it gets another one, on the same node.
kubectl get pods --field-selector spec.nodeName=node-02 -o name > before.txt
kubectl delete pods --field-selector spec.nodeName=node-02
kubectl get $(cat before.txt)
#~ Error from server (NotFound): pods "agent-…" not found
#! 1
kubectl rollout status daemonset/agent --timeout=60s
kubectl get pods -l app=agent-pod -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#= node-01 Running
#= node-02 Running
#= node-03 Running
kubectl describe ds agent
#~ Desired Number of Nodes Scheduled: 3
#~ Number of Nodes Misscheduled: 0
#~ Pods Status: …3 Running / 0 Waiting / 0 Succeeded / 0 Failed
#~ …SuccessfulCreate …daemonset-controller  Created pod: agent-…
# A node that joins gets one, too.
kubectl apply -f joining.yaml
#= node/node-04 created
kubectl rollout status daemonset/agent --timeout=60s
#~ daemon set "agent" successfully rolled out
kubectl get pods -l app=agent-pod --field-selector spec.nodeName=node-04
#~ agent-… 1/1 …Running …
# And so does one on which others may not be scheduled.
kubectl cordon node-03
#= node/node-03 cordoned
kubectl delete pods --field-selector spec.nodeName=node-03 --grace-period=1
sleep 10
kubectl get pods -l app=agent-pod --field-selector spec.nodeName=node-03
#~ agent-… 1/1 …Running …
# Only where the disk is an SSD: the others go.
kubectl label nodes node-01 disktype=ssd
#= node/node-01 labeled
kubectl apply -f agent-on-ssd.yaml
#= daemonset.apps/agent configured
sleep 120
kubectl get ds agent
#~ agent   1         1         1       1            1           disktype=ssd …
kubectl get pods -l app=agent-pod -o jsonpath='{.items[*].spec.nodeName}'
#= node-01
kubectl label nodes node-04 disktype=ssd
sleep 10
kubectl get pods -l app=agent-pod -o jsonpath='{.items[*].spec.nodeName}' | tr ' ' '\n' | sort
#= node-01
#= node-04
kubectl label nodes node-01 disktype-
#= node/node-01 unlabeled
sleep 60
kubectl get pods -l app=agent-pod -o jsonpath='{.items[*].spec.nodeName}'
#= node-04
# Its Pods go with it.
kubectl delete ds agent
#~ daemonset.apps "agent" deleted…
sleep 60
kubectl get pods
#= No resources found in default namespace.
