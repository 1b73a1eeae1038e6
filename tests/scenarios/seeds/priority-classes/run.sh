# What a class may be called and worth, and what it means for Pods that were there before.
kubectl run before --image=nginx
kubectl apply -f classes.yaml -f default.yaml
kubectl run after --image=nginx
kubectl run named --image=nginx --overrides='{"spec":{"priorityClassName":"high-priority"}}'
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name} {.spec.priority} {.spec.preemptionPolicy}{"\n"}{end}'
#= after 500 PreemptLowerPriority
#= before 0 PreemptLowerPriority
#= named 1000000 PreemptLowerPriority
# A class that goes leaves its Pods as they are, but new ones cannot name it.
kubectl delete priorityclass high-priority
#= priorityclass.scheduling.k8s.io "high-priority" deleted
kubectl get pod named -o jsonpath='{.spec.priority} {.spec.priorityClassName}'
#= 1000000 high-priority
kubectl run again --image=nginx --overrides='{"spec":{"priorityClassName":"high-priority"}}'
#~ Error from server (Forbidden): pods "again" is forbidden: no PriorityClass with name high-priority was found
#! 1
# One default is enough.
kubectl create priorityclass second --value=600 --global-default=true
#~ …PriorityClass usual is already marked as default. Only one default can exist
#! 1
kubectl create priorityclass system-mine --value=600
#~ …priority class names with 'system-' prefix are reserved for system use only…
#! 1
kubectl create priorityclass too-high --value=1000000001
#~ …maximum allowed value of a user defined priority is 1000000000
#! 1
kubectl create priorityclass highest --value=1000000000
#= priorityclass.scheduling.k8s.io/highest created
kubectl patch priorityclass highest -p '{"value":5}'
#~ The PriorityClass "highest" is invalid: value: Forbidden: may not be changed in an update.
#! 1
