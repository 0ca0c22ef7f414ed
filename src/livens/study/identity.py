"""The identity of a study: facts that are stored with it and compared when it is continued.

The values of the parameters and the model of the first member are long and are stored as digests. The functions of a
study cannot be compared; instead, the models that they make for the first member are.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..describe.model import Model
from ..errors import FileError, LivensError
from ..run.plan import Plan
from ..scene import to_dict
from .designs import Design


def facts_of(members: Design, how: Plan, first: Model | None, events: Any = ()) -> dict[str, Any]:
    """The facts of a study, by name; functions of events are not compared."""
    digests = {f"the values of {name!r}": _digest([x.dtype.kind, *x.tolist()]) for name, x in members.values.items()}
    return {
        "scheme": repr(how.scheme),
        "h": how.h,
        "steps": how.steps,
        "every": how.every,
        "axes": members.axes,
        **digests,
        "the model of its first member": _digest_of_model(first),
        **({"the events": _words_of(events)} if callable(events) or events else {}),
    }


def _words_of(events: Any) -> str:
    if callable(events):
        return "a function"
    return ", ".join(f"{event.name} {event.direction} {event.stop} {len(event.actions)}" for event in events)


def check_same_study(stored: dict[str, Any], now: dict[str, Any], path: Path) -> None:
    """Raise a FileError if `path` holds another study."""
    for what, value in {"the events": None, **now}.items():
        before = stored.get(what)
        if before == value or (what.startswith("the model") and not (before and value)):
            continue
        how = f"it differs in {what}" if what.startswith("the ") else f"{what} = {before} there, {value} here"
        raise FileError(f"{path} holds another study: {how}. Choose another name, or delete it.")


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def _digest_of_model(model: Model | None) -> str:
    """A digest of the model; "" if the model cannot be written. Numbers are rounded to 9 digits: the last digits
    may differ between machines."""

    def rounded(value: Any) -> Any:
        if isinstance(value, float):
            return f"{value:.9g}"
        if isinstance(value, list):
            return [rounded(x) for x in value]
        return {key: rounded(x) for key, x in value.items()} if isinstance(value, dict) else value

    with suppress(LivensError):
        return _digest(rounded(to_dict(model))) if model is not None else ""
    return ""
