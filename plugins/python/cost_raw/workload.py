"""The resources of the interface `workload`."""

from componentize_py_types import Err
from wit_world.imports import actions, types

# Everything that need not be made for each iteration: five fields, as many as a client of an authenticated API sends.
FIELDS = [
    ("accept", "application/json"),
    ("content-type", "application/json"),
    ("authorization", "Bearer 0123456789abcdef0123456789abcdef"),
    ("x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"),
    ("user-agent", "cost/0.1"),
]
REQUEST = types.Request(
    name="cost",
    method="POST",
    authority=None,
    path_with_query="/api/v1/cost?limit=20",
    fields=FIELDS,
    body=types.Body_Bytes(b"x" * 300),
    read=types.ReadMode_Whole(16 << 20),
    wanted_fields=None,
    follow_redirects=None,
    extensions=[],
    timeout=None,
)
OK = types.Verdict_Ok()
ANSWERED = 0  # position of the mark in the description


class Iteration:
    """The exchange is the engine's to remember: there is one, and everything about it comes by its number."""

    def on_response(self, exchange, response):
        if response.status != 200:
            actions.finish(types.Verdict_FailedBy(exchange))
        elif ("content-type", "application/json") not in response.fields:
            actions.finish(types.Verdict_Failed("unexpected content type"))
        else:
            actions.mark(ANSWERED, types.Since_Asked(exchange), 1)
            actions.finish(OK)

    def on_failure(self, exchange, failure):
        actions.finish(types.Verdict_FailedBy(exchange))

    # Nothing that this plugin asks for ends in one of these.
    def on_head(self, exchange, status, fields):
        pass

    def on_open(self, exchange, subprotocol, fields):
        pass

    def on_items(self, exchange, items):
        pass

    def on_end(self, exchange, end):
        pass

    def on_timer(self, timer):
        pass


class Plan:
    @classmethod
    def configure(cls, config, shared):
        if "".join(config.split()) != "{}":
            raise Err("config: this plugin has none")
        return cls()

    def setup(self):
        return None

    def teardown(self):
        return None

    def start(self, arrival):
        actions.send(REQUEST)
        return Iteration()
