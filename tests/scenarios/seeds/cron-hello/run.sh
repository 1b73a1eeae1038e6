# A CronJob makes Jobs at their times, and keeps the last three that ended well.
# The version of the manifest in older texts is gone.
sed 's|batch/v1|batch/v1beta1|' hello.yaml | kubectl create -f -
#~ …no matches for kind "CronJob" in version "batch/v1beta1"
#~ ensure CRDs are installed first
#! 1
kubectl create -f hello.yaml
#= cronjob.batch/hello created
kubectl get cronjob hello
#~ NAME    SCHEDULE      TIMEZONE   SUSPEND   ACTIVE   LAST SCHEDULE   AGE
#~ hello   */1 * * * *   <none>     False     0        <none>          0s
sleep 70
kubectl get jobs -o name | grep -c job.batch/hello-
#= 1
kubectl get jobs
#~ hello-…   Complete   1/1…
kubectl get cronjob hello
#~ hello   */1 * * * *   <none>     False     0        …
sleep 300
kubectl get jobs -o name | grep -c job.batch/hello-
#= 3
kubectl patch cronjob hello -p '{"spec":{"suspend":true}}'
#= cronjob.batch/hello patched
kubectl get cronjob hello -o jsonpath='{.status.lastScheduleTime}' > last
sleep 180
kubectl get cronjob hello -o jsonpath='{.status.lastScheduleTime}' > last-then
test "$(cat last)" = "$(cat last-then)"
#! 0
# Other ways to say when.
kubectl create cronjob yearly --image=busybox --schedule=@yearly -- date
#= cronjob.batch/yearly created
kubectl create cronjob friday --image=busybox --schedule='0 0 13 * 5' -- date
#= cronjob.batch/friday created
kubectl create cronjob never --image=busybox --schedule='61 * * * *' -- date
#~ error: failed to create cronjob: CronJob.batch "never" is invalid: spec.schedule: Invalid value: "61 * * * *": …
#! 1
