"""One exchange through the SDK, the same as that of `cost_raw_python`: how much the SDK adds to what an iteration costs."""

from engine_sdk import Context, Mark, NoConfig, Shared, Workload, asked, ensure

# The request's fields, as in `cost_raw_python`.
FIELDS = [
    ("accept", "application/json"),
    ("content-type", "application/json"),
    ("authorization", "Bearer 0123456789abcdef0123456789abcdef"),
    ("x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"),
    ("user-agent", "cost/0.1"),
]

ANSWERED = Mark("answered", "From asking to the answer.")


class Cost(Workload[NoConfig]):
    """What need not be made for each iteration."""

    name = "cost_sdk_python"
    summary = "Measures what an iteration costs the engine: one exchange, through the SDK for Python"
    metrics = (ANSWERED,)

    def configure(self, config: NoConfig, shared: Shared) -> None:
        self.body = b"x" * 300

    async def iterate(self, ctx: Context) -> None:
        reply = await ctx.post("/api/v1/cost?limit=20", name="cost", fields=FIELDS, body=self.body)
        reply.expect_status(200)
        ensure(reply.field("content-type") == "application/json", "unexpected content type")
        ctx.mark(ANSWERED, asked(reply.exchange))
