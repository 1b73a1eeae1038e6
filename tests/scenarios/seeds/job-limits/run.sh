# backoffLimit and activeDeadlineSeconds: when a Job gives up.
kubectl apply -f jobs.yaml
#= job.batch/broken created
#= job.batch/endless created
#= job.batch/late created
# The waits before new Pods grow: 10 s, 20 s, …
sleep 8
kubectl get pods -l job-name=broken -o name | grep -c pod/
#= 1
sleep 10
kubectl get pods -l job-name=broken -o name | grep -c pod/
#= 2
sleep 5
kubectl get job broken -o jsonpath='{.status.failed}'
#= 2
kubectl wait --for=condition=failed job/broken --timeout=60s
#= job.batch/broken condition met
kubectl get job broken -o jsonpath='{.status.failed} {.status.conditions[?(@.type=="Failed")].reason} {.status.conditions[?(@.type=="Failed")].message}'
#= 3 BackoffLimitExceeded Job has reached the specified backoff limit
kubectl wait --for=condition=failed job/late job/endless --timeout=120s
#= job.batch/late condition met
#= job.batch/endless condition met
kubectl get job late endless -o jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Failed")].reason} {.status.conditions[?(@.type=="Failed")].message}{"\n"}{end}'
#= late DeadlineExceeded Job was active longer than specified deadline
#= endless DeadlineExceeded Job was active longer than specified deadline
# All that still ran has been ended.
kubectl get pods -l job-name=endless
#~ No resources found in default namespace.
kubectl get pods -l job-name=late -o name | grep -c pod/
#= 3
kubectl describe job endless
#~ …DeadlineExceeded…Job was active longer than specified deadline
