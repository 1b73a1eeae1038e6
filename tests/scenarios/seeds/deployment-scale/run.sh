# A Deployment owns a ReplicaSet, and that its Pods: each as many as it is told to.
kubectl apply -f web.yaml
#= deployment.apps/web created
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get deployments
#~ NAME   READY   UP-TO-DATE   AVAILABLE   AGE
#~ web    3/3     3            3           …
kubectl get rs
#~ NAME…DESIRED   CURRENT   READY   AGE
#~ web-…3         3         3       …
# The hash in the ReplicaSet's name is on it and on its Pods.
kubectl get rs -o jsonpath='{.items[0].metadata.labels.pod-template-hash}' > hash
kubectl get rs web-$(cat hash) -o jsonpath='{.spec.selector.matchLabels.pod-template-hash}' > in-selector
test "$(cat hash)" = "$(cat in-selector)"
#! 0
kubectl get pods -l app=web,pod-template-hash=$(cat hash) -o name | grep -c "^pod/web-$(cat hash)-"
#= 3
kubectl get pods -o jsonpath='{.items[0].metadata.ownerReferences[0].kind} {.items[0].metadata.ownerReferences[0].controller}'
#= ReplicaSet true
kubectl get rs -o jsonpath='{.items[0].metadata.ownerReferences[0].kind}/{.items[0].metadata.ownerReferences[0].name}'
#= Deployment/web

kubectl scale deployment web --replicas=4
#= deployment.apps/web scaled
kubectl rollout status deployment/web
#~ deployment "web" successfully rolled out
kubectl get deployment web
#~ web    4/4     4            4           …
kubectl get pods -l app=web -o name | grep -c pod/
#= 4
kubectl scale deployment web --replicas=1
#= deployment.apps/web scaled
sleep 5
kubectl get pods -l app=web
#~ web-…1/1     Running…
kubectl get pods -l app=web -o name | grep -c pod/
#= 1
kubectl describe deployment web
#~ …ScalingReplicaSet…Scaled up replica set web-… from 0 to 3
#~ …ScalingReplicaSet…Scaled up replica set web-… from 3 to 4
#~ …ScalingReplicaSet…Scaled down replica set web-… from 4 to 1
# No second ReplicaSet: the template is the same.
kubectl get rs -o name | grep -c replicaset
#= 1
# Pods of a Deployment always restart.
kubectl patch deployment web -p '{"spec":{"template":{"spec":{"restartPolicy":"Never"}}}}'
#~ The Deployment "web" is invalid: spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"
#! 1
