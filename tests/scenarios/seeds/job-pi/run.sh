# A Job runs its Pod to the end, once.
kubectl apply -f pi.yaml
#= job.batch/pi created
sleep 5
kubectl get job pi
#~ pi     Running   0/1           5s         5s
kubectl get pods
#~ pi-…1/1     Running…
kubectl wait --for=condition=complete job/pi --timeout=60s
#= job.batch/pi condition met
kubectl get job pi
#~ pi     Complete   1/1           …s        …
kubectl get pods
#~ pi-…0/1     Completed   0…
sleep 300
kubectl get pods -o name | grep -c pod/pi-
#= 1
kubectl get pods -o jsonpath='{.items[0].metadata.labels.job-name}'
#= pi
kubectl describe job pi
#~ Pods Statuses:    0 Active (0 Ready) / 1 Succeeded / 0 Failed
#~ …SuccessfulCreate…Created pod: pi-…
#~ …Completed…Job completed
# Its Pods do not always restart.
sed 's/Never/Always/' pi.yaml | sed 's/name: pi}/name: pi-2}/' | kubectl apply -f -
#~ The Job "pi-2" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"
#! 1
