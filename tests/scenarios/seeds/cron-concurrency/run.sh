# Allow: side by side. Forbid: the time is skipped. Replace: the new one takes the place of the old.
kubectl apply -f slow.yaml
#= cronjob.batch/allow created
#= cronjob.batch/forbid created
#= cronjob.batch/replace created
sleep 70
kubectl get pods --field-selector=status.phase=Running -o jsonpath='{range .items[*]}{.metadata.labels.policy}{"\n"}{end}' | sort | uniq -c
#~ …1 allow
#~ …1 forbid
#~ …1 replace
kubectl get pods -l policy=forbid -o jsonpath='{.items[0].metadata.name}' > forbid
kubectl get pods -l policy=replace -o jsonpath='{.items[0].metadata.name}' > replace
sleep 70
kubectl get pods --field-selector=status.phase=Running -o jsonpath='{range .items[*]}{.metadata.labels.policy}{"\n"}{end}' | sort | uniq -c
#~ …2 allow
#~ …1 forbid
#~ …1 replace
kubectl get pod $(cat forbid) -o jsonpath='{.status.phase}'
#= Running
kubectl get pod $(cat replace)
#~ …NotFound…
#! 1
kubectl get cronjob
#~ allow…2        …
#~ forbid…1        …
#~ replace…1        …
kubectl describe cronjob forbid
#~ …JobAlreadyActive…Not starting job because prior execution is running and concurrency policy is Forbid
kubectl describe cronjob replace
#~ …SuccessfulDelete…Deleted job replace-…
