"""Runs a plugin natively against scripted answers, in virtual time and without a network.

    script = Script().on("POST", "/jobs").reply(202)
    script.on("GET", "/jobs/1").once().reply(200, "running")
    script.on("GET", "/jobs/1").reply(200, "done")
    run = script.run(Jobs)
    assert run.outcome == "ok" and len(run.requests) == 3 and run.took > 2
"""

from __future__ import annotations

import json
from typing import Any

from ..config import Refused
from ..workload import Workload, build, config_schema
from .._recorder import Recording, Sent
from .run import Marked, Run
from .script import Answering, Pieces, Script

__all__ = ["Answering", "Marked", "Pieces", "Run", "Script", "Sent", "config_schema", "refusal"]


def refusal(
    workload: type[Workload[Any]], config: dict[str, Any], shared: dict[str, Any] | None = None
) -> str | None:
    """The text with which a workload refuses this configuration; `None` where it takes it."""
    with Recording():
        try:
            build(workload, json.dumps(config), None if shared is None else json.dumps(shared))
        except Refused as refused:
            return str(refused)
    return None
