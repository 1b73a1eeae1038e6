"""Uses the installed wheel as its users do: `cargo xtask test all` runs this."""

import threading
import warnings

import kube_berth

NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1"},
    "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
}


def pod(name: str, cpu: str) -> dict:
    containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers}}


def fails(call, words: str) -> None:
    try:
        call()
    except kube_berth.BerthError as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{words}: no error")


cluster = [NODE, pod("web", "3"), pod("db", "5")]
placed = kube_berth.schedule(cluster)
assert [item["spec"].get("nodeName") for item in placed["items"]] == ["n1", None], placed
why = kube_berth.explain(cluster, pod="db")
assert "db" in why["report"]["sentence"], why["report"]
assert why["fixes"], why
assert kube_berth.what_if(cluster, "lose", nodes=["n1"])["waiting"]["most"] == 2
assert kube_berth.compare(cluster, b=["seed=2"])["pods"] == []
assert kube_berth.check(NODE) == []
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    assert "kind: Scenario" in kube_berth.reduce(cluster, "db", max_runs=100)["file"]
assert [it.category for it in said] == [kube_berth.BerthWarning], said
assert said[0].filename == __file__, said[0]
printed = kube_berth.kubectl(cluster, "get", "pods", "nothing")
assert printed.status == 1 and "NotFound" in printed.stderr, printed
fails(lambda: kube_berth.explain(cluster, pod="nobody"), "no Pod default/nobody")
fails(lambda: kube_berth.schedule("kind: ["), "manifests.yaml:1:")
fails(lambda: kube_berth.schedule({"a.yaml": "kind: ["}), "a.yaml:1:")
fails(lambda: kube_berth.schedule([]), "give manifests")
fails(lambda: kube_berth.what_if(cluster, "fit"), "workload")

# Threads have their own messages and files.
answers: dict[int, str] = {}


def ask(number: int) -> None:
    asked = kube_berth.explain([NODE, pod(f"p{number}", "1")], pod=f"p{number}")
    answers[number] = asked["pod"]


threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert answers == {number: f"default/p{number}" for number in range(8)}, answers
print("the wheel works")
