# matchLabelKeys: a rolling update does not tie the new Pods to the zone of the old ones.
kubectl apply -f server.yaml -f sticky.yaml
kubectl rollout status deployment/server --timeout=60s
kubectl rollout status deployment/sticky --timeout=60s
kubectl get pods -l app=server -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq > server-zone.txt
cat server-zone.txt | wc -l
#= 1
# The key becomes part of what is looked for, with the value that the Pod has.
kubectl get pods -l app=server -o jsonpath='{.items[0].spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[1].key}'
#= pod-template-hash
# The zone of the old Pods is closed to new ones. They go to the other, and stay together there.
for z in $(cat server-zone.txt); do kubectl cordon ${z}1 ${z}2; done
kubectl set image deployment/server server=server:v2
#= deployment.apps/server image updated
kubectl rollout status deployment/server --timeout=300s
#~ deployment "server" successfully rolled out
sleep 60
kubectl get pods -l app=server -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq > new-zone.txt
cat new-zone.txt | wc -l
#= 1
cat server-zone.txt new-zone.txt | sort | uniq | wc -l
#= 2
# Without the key, the Pods of the old revision hold the new ones.
kubectl uncordon a1 a2 b1 b2
kubectl get pods -l app=sticky -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | cut -c1 | sort | uniq > sticky-zone.txt
for z in $(cat sticky-zone.txt); do kubectl cordon ${z}1 ${z}2; done
kubectl set image deployment/sticky server=server:v2
kubectl rollout status deployment/sticky --timeout=300s
#~ error: timed out waiting for the condition
#! 1
kubectl get deployment sticky
#~ sticky   3/3     3            3 …
kubectl get pods -l app=sticky --field-selector status.phase=Pending -o name | wc -l
#= 3
