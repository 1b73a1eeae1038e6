# What must be, and what is only preferred.
kubectl apply -f pods.yaml
kubectl wait --for=condition=Ready pod/fast pod/either pod/both --timeout=60s
#= pod/fast condition met
#= pod/either condition met
#= pod/both condition met
kubectl get pods -o jsonpath='{range .items[*]}{.metadata.name}={.spec.nodeName}{"\n"}{end}'
#= both=k8s-node2
#= either=k8s-arm
#= fast=k8s-node2
#= neither=
# Without a fast disk any amd64 does; and a Pod that runs stays.
kubectl label node k8s-node2 disk-type-
#= node/k8s-node2 unlabeled
sed 's/name: fast}/name: fast-2}/' pods.yaml | kubectl create -f -
#~ pod/fast-2 created
#~ …pods "either" already exists
#! 1
kubectl wait --for=condition=Ready pod/fast-2 --timeout=60s
#= pod/fast-2 condition met
kubectl get pod fast -o jsonpath='{.spec.nodeName} {.status.phase}'
#= k8s-node2 Running
kubectl label node k8s-node1 disk-type=hdd
kubectl wait --for=condition=Ready pod/neither --timeout=60s
#= pod/neither condition met
kubectl get pod neither -o jsonpath='{.spec.nodeName}'
#= k8s-node1
