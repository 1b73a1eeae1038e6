# A DaemonSet leaves the control plane out, because of its taint. There are two ways to have a Pod there, too.
# kubectl makes no DaemonSets, but a Deployment is almost one.
kubectl api-resources | grep daemonsets
#~ daemonsets …ds …apps/v1 …true …DaemonSet
kubectl create ds cache --image=redis:5-alpine
#! 1
export out="--dry-run=client -o yaml"
kubectl create deploy cache --image=redis:5-alpine $out | sed -e 's/kind: Deployment/kind: DaemonSet/' -e '/replicas:/d' -e '/strategy:/d' -e '/status:/d' > cache.yaml
kubectl apply -f cache.yaml
#= daemonset.apps/cache created
kubectl rollout status ds/cache --timeout=60s
#~ daemon set "cache" successfully rolled out
kubectl get ds
#~ cache   1         1         1       1            1           <none> …
kubectl get pods -l app=cache -o wide
#~ cache-…   1/1     Running   0 …worker …
kubectl get pods -l app=cache --field-selector spec.nodeName=master
#= No resources found in default namespace.
kubectl describe node master | grep Taints
#= Taints:             node-role.kubernetes.io/master:NoSchedule
kubectl describe node worker | grep Taints
#= Taints:             <none>
# That of the network is on both.
kubectl get ds -n kube-flannel
#~ kube-flannel-ds   2         2         2       2            2 …
# The first way: the taint goes.
kubectl taint node master node-role.kubernetes.io/master:NoSchedule-
#= node/master untainted
sleep 10
kubectl get ds cache
#~ cache   2         2         2       2            2 …
kubectl get pods -l app=cache -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#= master Running
#= worker Running
# Back with the taint: the Pod stays where it is, but once deleted there is no other one.
kubectl taint node master node-role.kubernetes.io/master:NoSchedule
#= node/master tainted
sleep 600
kubectl get pods -l app=cache --field-selector spec.nodeName=master
#~ cache-…   1/1     Running   0 …
kubectl delete pods -l app=cache --field-selector spec.nodeName=master
sleep 60
kubectl get pods -l app=cache -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}'
#= worker
kubectl get ds cache
#~ cache   1         1         1       1            1 …
# The second way: the Pods tolerate the taint.
kubectl explain ds.spec.template.spec.tolerations
#~ FIELD: tolerations <[]Toleration>
kubectl apply -f tolerant.yaml
#= daemonset.apps/cache configured
kubectl rollout status ds/cache --timeout=120s
#~ daemon set "cache" successfully rolled out
kubectl get pods -l app=cache -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#= master Running
#= worker Running
kubectl describe node master | grep Taints
#= Taints:             node-role.kubernetes.io/master:NoSchedule
# Newer control planes have another taint, some had both: then both are to be tolerated.
kubectl taint node master node-role.kubernetes.io/control-plane:NoSchedule
#= node/master tainted
kubectl delete pods -l app=cache --field-selector spec.nodeName=master
sleep 60
kubectl get ds cache
#~ cache   1         1         1       1            1 …
kubectl patch ds cache --type=json -p '[{"op": "add", "path": "/spec/template/spec/tolerations/-", "value": {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}}]'
#= daemonset.apps/cache patched
kubectl rollout status ds/cache --timeout=120s
kubectl get pods -l app=cache -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}' | sort
#= master Running
#= worker Running
# NoExecute: off it goes, and no other one comes.
kubectl taint node worker broken=yes:NoExecute
#= node/worker tainted
sleep 60
kubectl get pods -l app=cache -o jsonpath='{range .items[*]}{.spec.nodeName} {.status.phase}{"\n"}{end}'
#= master Running
