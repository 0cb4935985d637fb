"""One exchange, written against the bindings of `wit/` without the SDK: the least that an iteration of a plugin in Python
costs. `cost_sdk_python` does the same through the SDK.

Each iteration sends a POST of 300 bytes with five fields. The answer is right when it is a 200 whose `content-type` is
JSON; then the time since the request was asked for is marked. The resources are in `workload.py`: the component tool looks
for them in a module named after the interface.
"""

import weakref

import workload  # noqa: F401  (so that it is in memory when the component is made)
from wit_world.imports import types

# The tool ties a finalizer to each iteration, for guests that drop a handle themselves. The engine holds and drops these.
weakref.finalize = lambda *_: None


class Workload:
    def describe(self):
        return types.Description(
            "cost_raw_python",
            "0.1.0",
            "Measures what an iteration costs the engine: one exchange, with raw bindings of Python",
            [types.Metric("answered", types.MetricKind.MARK, "", "From asking to the answer.")],
            '{"type": "object", "additionalProperties": false}',
        )
