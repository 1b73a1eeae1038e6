"""kube-scheduler as a library: where Pods go and why, what-ifs, and smallest cases, from manifests.

Manifests are YAML or JSON text, an object as a dictionary, a list of these, or a mapping of file names to texts. Answers are the
JSON of Berth's commands, as dictionaries and lists. What a command says besides (problems of the manifests, what was inferred)
is a ``BerthWarning``; what is wrong with the input raises ``BerthError``.
"""

import json
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from . import _engine

__all__ = [
    "BerthError",
    "BerthWarning",
    "Printed",
    "check",
    "compare",
    "explain",
    "kubectl",
    "reduce",
    "schedule",
    "what_if",
]

Manifests = str | Mapping[str, Any] | Iterable[str | Mapping[str, Any]]


class BerthError(ValueError):
    """Something is wrong with the input; the message names the place."""


class BerthWarning(UserWarning):
    """What a command says besides its answer."""


class Printed(NamedTuple):
    """What kubectl printed."""

    status: int
    stdout: str
    stderr: str


def check(manifests: Manifests, *, kubernetes: str | None = None) -> list[dict[str, Any]]:
    """What the API server would refuse or warn of."""
    return _answer("check", manifests, kubernetes=kubernetes)


def schedule(manifests: Manifests, **options: Any) -> dict[str, Any]:
    """Places all pending Pods: a List of Pods as kubectl prints it.

    Every function but ``check`` takes the options ``kubernetes`` (a release: "1.36"), ``seed``, ``texts`` (further files, by
    name) and ``config`` (the name of a KubeSchedulerConfiguration in ``texts``).
    """
    return _answer("schedule", manifests, **options)


def explain(
    manifests: Manifests, pod: str, *, node: str | None = None, attempt: int | None = None, **options: Any
) -> dict[str, Any]:
    """Explains one attempt of a Pod (``NAMESPACE/NAME``, or ``NAME`` in namespace default), with verified fixes."""
    return _answer("explain", manifests, pod=pod, node=node, attempt=attempt, **options)


def what_if(manifests: Manifests, question: str, **arguments: Any) -> dict[str, Any]:
    """Plays a change on a copy of the cluster.

    ``lose`` and ``drain`` take ``nodes`` or ``each``; ``add`` takes ``count`` and ``like``; ``fit`` takes ``workload``; ``upgrade``
    takes ``pool``; ``shrink`` may take ``pool`` and ``prices``; ``evict`` takes ``policy``; ``need`` and ``anew`` take nothing.
    """
    return _answer("what-if", manifests, question=question, **arguments)


def reduce(manifests: Manifests, pod: str | None = None, **arguments: Any) -> dict[str, Any]:
    """Makes the smallest case that still shows why a Pod waits, or in what two runs differ (``differs``)."""
    return _answer("reduce", manifests, pod=pod, **arguments)


def compare(
    manifests: Manifests, *, a: Iterable[str] = (), b: Iterable[str] = (), **options: Any
) -> dict[str, Any]:
    """Runs the same manifests with two settings (``["kubernetes=1.34"]``), and says what differs."""
    return _answer("compare", manifests, a=list(a), b=list(b), **options)


def kubectl(manifests: Manifests, *args: str, **options: Any) -> Printed:
    """Runs one kubectl command on a simulated cluster of the manifests: ``kubectl(text, "get", "pods")``."""
    return Printed(*_call("kubectl", manifests, {"args": list(args), **options}))


def _answer(tool: str, manifests: Manifests, **arguments: Any) -> Any:
    _, out, messages = _call(tool, manifests, arguments)
    for line in messages.splitlines():
        # That of the caller of `check`, `schedule` and the others.
        warnings.warn(line, BerthWarning, stacklevel=3)
    return json.loads(out)


def _call(tool: str, manifests: Manifests, arguments: Mapping[str, Any]) -> tuple[int, str, str]:
    # `max_runs` is `maxRuns` for the engine.
    named = {_camel(name): value for name, value in arguments.items() if value is not None}
    try:
        return _engine.call(tool, _texts(manifests), json.dumps(named))
    except ValueError as error:
        raise BerthError(str(error)) from None


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _texts(manifests: Manifests) -> list[tuple[str, str]]:
    if isinstance(manifests, str):
        return [("manifests.yaml", manifests)]
    if isinstance(manifests, Mapping):
        if "kind" in manifests:
            return [("manifests.json", json.dumps(manifests))]
        return [(name, _text(text)) for name, text in manifests.items()]
    return [(f"manifests-{number}.yaml", _text(text)) for number, text in enumerate(manifests, 1)]


def _text(manifest: Any) -> str:
    return manifest if isinstance(manifest, str) else json.dumps(manifest)
