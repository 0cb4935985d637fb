"""What a flow does, and what becomes of it: natively, by script."""

import gc
import unittest
import weakref
from typing import Any

from engine_sdk import (
    Blob,
    Cancelled,
    Check,
    Context,
    Counter,
    ExchangeFailed,
    Failed,
    First,
    Level,
    Mark,
    NoConfig,
    Observation,
    Rng,
    Second,
    Shared,
    Workload,
    asked,
    ensure,
    join,
    join_all,
    percent_encode,
    race,
)
from engine_sdk._actions import finish  # noqa: F401  (the native one is there)
from engine_sdk._cases import EndCancelled, Failure
from engine_sdk._recorder import Recording
from engine_sdk.flow import Iteration
from engine_sdk.reply import Reply
from engine_sdk.testing import Run, Script
from engine_sdk.values import Arrival

DONE = Mark("done", "All was there.")
GAP = Mark("gap", "From piece to piece.")
BYTES = Counter("bytes", "Bytes.", "bytes")
SIZE = Observation("size", "Sizes.", "bytes")
RIGHT = Check("right", "All was right.")


def workload(flow: Any, **more: Any) -> type[Workload[NoConfig]]:
    """A workload that does this for an arrival."""

    async def iterate(self: Any, ctx: Context) -> None:
        await flow(ctx)

    body = {"iterate": iterate, "name": "flows", "summary": "x", "metrics": (DONE, GAP, BYTES, SIZE, RIGHT), **more}
    return type("Flows", (Workload,), {**body, "__orig_bases__": (Workload[NoConfig],)})


def run(flow: Any, script: Script | None = None) -> Run:
    return (script or Script()).run(workload(flow))


class Requests(unittest.TestCase):
    def test_a_request_is_what_was_said(self) -> None:
        async def flow(ctx: Context) -> None:
            await ctx.put(
                "/a?b=1",
                name="n",
                fields=[("x", "1"), ("x", "2")],
                body="é",
                wanted_fields=["etag"],
                follow_redirects=3,
                timeout=1.5,
                authority="other:1",
                extensions={"k": "v"},
                max_body=7,
            )

        sent = run(flow, Script().on("PUT", "/a").reply(200)).requests[0]
        self.assertEqual((sent.method, sent.path, sent.name), ("PUT", "/a?b=1", "n"))
        self.assertEqual(sent.fields, [("x", "1"), ("x", "2")])
        self.assertEqual(sent.body, "é".encode())
        self.assertEqual((sent.wanted_fields, sent.follow_redirects, sent.timeout), (["etag"], 3, 1.5))
        self.assertEqual((sent.authority, sent.extensions, sent.max_body), ("other:1", [("k", "v")], 7))

    def test_what_was_not_awaited_says_so(self) -> None:
        told: list[str] = []

        async def flow(ctx: Context) -> None:
            waited: list[tuple[Any, str]] = [(ctx.get("/a"), "status"), (ctx.lines("GET", "/b"), "next"), (ctx.socket("/c"), "send")]
            for one, name in waited:
                try:
                    getattr(one, name)
                except AttributeError as error:
                    told.append(str(error))
                one.cancel()
            raise Cancelled

        with Recording():
            Iteration(flow)
        self.assertEqual(
            told,
            [
                "'Sending' object has no attribute 'status': did you forget await?",
                "'OpeningStream' object has no attribute 'next': did you forget await?",
                "'OpeningSocket' object has no attribute 'send': did you forget await?",
            ],
        )

    def test_what_is_not_said_is_not_left_over_from_another_request(self) -> None:
        async def flow(ctx: Context) -> None:
            await ctx.post("/a", name="n", fields={"x": "1"}, body=b"1", timeout=1)
            await ctx.get("/a")

        sent = run(flow, Script().on("POST", "/a").reply(200).on("GET", "/a").reply(200)).requests[1]
        self.assertEqual((sent.name, sent.fields, sent.body, sent.timeout), (None, [], b"", None))
        self.assertEqual((sent.read, sent.max_body), ("whole", 16 << 20))

    def test_json_and_forms_name_their_type_unless_it_is_named(self) -> None:
        async def flow(ctx: Context) -> None:
            await ctx.post("/a", json={"b": [1, "é"]})
            await ctx.post("/a", json=None, fields={"Content-Type": "text/plain"})
            await ctx.post("/a", form=[("a b", "c&d")])

        sent = run(flow, Script().on("POST", "/a").reply(200)).requests
        self.assertEqual([s.body.decode() for s in sent], ['{"b":[1,"é"]}', "null", "a%20b=c%26d"])
        types = [s.field("content-type") for s in sent]
        self.assertEqual(types, ["application/json", "text/plain", "application/x-www-form-urlencoded"])
        self.assertEqual(percent_encode("a-b_c.d~1 é/"), "a-b_c.d~1%20%C3%A9%2F")

    def test_fields_that_change_in_place_are_seen_again(self) -> None:
        fields = [("a", "1")]

        async def flow(ctx: Context) -> None:
            await ctx.get("/a", fields=fields)
            fields[0] = ("a", "2")
            await ctx.get("/a", fields=fields)
            fields[0] = ("a", 3)  # type: ignore[assignment]
            await ctx.get("/a", fields=fields)

        with self.assertRaises(TypeError):
            run(flow, Script().on("GET", "/a").reply(200))
        with Recording() as recording:
            Iteration(lambda ctx: ctx_send(ctx, [("a", "1")]))
            self.assertEqual(recording.take()[0].value.fields, [("a", "1")])

    def test_a_mistyped_option_is_refused_by_name(self) -> None:
        async def flow(ctx: Context) -> None:
            ctx.get("/a", boddy=b"")  # type: ignore[call-arg]

        with self.assertRaisesRegex(TypeError, "boddy"):
            run(flow)
        for wrong in ({"name": 5}, {"fields": {"a": 5}}, {"timeout": -1}, {"timeout": float("nan")}, {"wanted_fields": [1]}):
            with self.assertRaises((TypeError, ValueError, AttributeError)), Recording():
                Iteration(lambda ctx, wrong=wrong: ctx_get(ctx, wrong))  # type: ignore[misc]

    def test_a_blob_is_registered_once(self) -> None:
        class Blobs(Workload[NoConfig]):
            name, summary = "blobs", "x"

            def configure(self, config: NoConfig, shared: Shared) -> None:
                self.blob = Blob.register(b"big")

            async def iterate(self, ctx: Context) -> None:
                await ctx.post("/a", blob=self.blob, count_body=True)

        runs = Script().on("POST", "/a").reply(200, "answer").run_many(Blobs, {}, 2)
        self.assertEqual([(r.requests[0].body, r.requests[0].blob, r.requests[0].read) for r in runs], [(b"big", True, "count")] * 2)

    def test_an_answer_is_what_came(self) -> None:
        async def flow(ctx: Context) -> None:
            reply = await ctx.get("/a")
            ensure(reply.field("X-A") == "1" and reply.field("x-b") is None, "fields")
            ensure(reply.text() == "\ufffd{" and reply.size == 2, "text")
            reply.expect_status((201, 204)).expect_status(range(200, 300))
            reply.json()

        result = run(flow, Script().on("GET", "/a").field("x-a", "1").reply(201, b"\xff{"))
        self.assertEqual(result.reason, "check: unexpected JSON")
        self.assertEqual(result.logs[0][0], Level.DEBUG)


async def ctx_send(ctx: Context, fields: Any) -> None:
    await ctx.get("/a", fields=fields)


async def ctx_get(ctx: Context, options: Any) -> None:
    await ctx.get("/a", **options)


class Verdicts(unittest.TestCase):
    def test_a_failed_exchange_ends_by_the_engines_reason(self) -> None:
        async def flow(ctx: Context) -> None:
            await ctx.get("/a")

        self.assertEqual(run(flow, Script().on("GET", "/a").fail("timeout_total")).reason, "timeout_total")

    def test_a_failed_exchange_can_be_caught(self) -> None:
        async def flow(ctx: Context) -> None:
            try:
                await ctx.get("/a")
            except ExchangeFailed as failed:
                raise Failed(failed.reason) from None

        self.assertEqual(run(flow, Script().on("GET", "/a").fail("reset")).reason, "check: reset")

    def test_a_status_that_was_not_expected(self) -> None:
        async def flow(ctx: Context) -> None:
            (await ctx.get("/a")).expect_status(200)

        self.assertEqual(run(flow, Script().on("GET", "/a").reply(503)).reason, "http_503")

    def test_cancelled_and_failed(self) -> None:
        async def cancelled(ctx: Context) -> None:
            raise Cancelled

        async def failed(ctx: Context) -> None:
            raise Failed("x" + "ü" * 150)

        self.assertEqual(run(cancelled).outcome, "cancelled")
        reason = run(failed).reason or ""
        self.assertEqual(len(reason.removeprefix("check: ").encode()), 199)

    def test_a_quoted_text_keeps_its_words_and_loses_what_varies(self) -> None:
        pool = "QueuePool limit of size 5 overflow 10 reached, timed out after 30.00 31.00 s"
        self.assertEqual(
            Failed.quoting("error", pool).text,
            "error: QueuePool limit of size # overflow # reached, timed out after # s",
        )
        self.assertEqual(Failed.quoting("error", "910a2dec").text, "error")
        self.assertEqual(Failed.quoting("error", "no agent 910a for ann@example.org").text, "error: no agent # for #")
        self.assertLessEqual(len(Failed.quoting("error", "word " * 100).text), 107)

    def test_an_error_of_the_author_is_one_line_and_traps(self) -> None:
        async def flow(ctx: Context) -> None:
            found: dict[str, int] = {}
            found["total"]

        with Recording() as recording:
            with self.assertRaises(KeyError):
                Iteration(flow)
            actions = recording.take()
        level, text = actions[-1].value
        self.assertEqual((level, actions[-1].what), (Level.ERROR, "log"))
        self.assertRegex(text, r"^KeyError: 'total' at test_flows.py:\d+ in .*flow$")
        self.assertNotIn("\n", text)

    def test_an_endless_recursion_is_one_short_line(self) -> None:
        async def flow(ctx: Context) -> None:
            await flow(ctx)

        with Recording() as recording:
            with self.assertRaises(RecursionError):
                Iteration(flow)
            text = recording.take()[-1].value[1]
        self.assertLess(len(text), 4096)
        self.assertIn("...", text)

    def test_what_no_event_can_wake_is_no_quiet_stall(self) -> None:
        class Odd:
            def __await__(self) -> Any:
                yield self

        async def flow(ctx: Context) -> None:
            await Odd()

        with self.assertRaisesRegex(TypeError, "not of engine_sdk"):
            run(flow)

    def test_a_flow_that_waits_for_nothing_stalls(self) -> None:
        async def flow(ctx: Context) -> None:
            other = ctx.get("/a")
            await other
            timer = ctx.wait(1)
            timer.cancel()
            await race(ctx.get("/never"), ctx.wait(1))
            await (await ctx.socket("/ws")).next()

        script = Script().on("GET", "/a").reply(200).on("GET", "/never").after(9).reply(200)
        self.assertEqual(run(flow, script.on("WS", "/ws").open().until_closed()).reason, "plugin_stalled")


class Several(unittest.TestCase):
    def test_requests_that_are_begun_are_open_together(self) -> None:
        async def flow(ctx: Context) -> None:
            first, second = ctx.get("/a"), ctx.get("/b")
            a, b = await join(first, second)
            ensure((a.text(), b.text()) == ("a", "b"), "in order")
            for reply in await join_all(ctx.get("/a") for _ in range(3)):
                reply.expect_status(200)

        script = Script().on("GET", "/a").after(2).reply(200, "a").on("GET", "/b").after(1).reply(200, "b")
        result = run(flow, script)
        self.assertEqual((result.outcome, result.took, len(result.requests)), ("ok", 4.0, 5))

    def test_the_loser_of_a_race_is_given_up(self) -> None:
        async def flow(ctx: Context) -> None:
            match await race(ctx.get("/slow"), ctx.wait(1)):
                case First():
                    raise Failed("too soon")
                case Second():
                    pass
            match await race(ctx.get("/a"), ctx.wait(1)):
                case First(reply):
                    reply.expect_status(200)
                case Second():
                    raise Failed("too late")
            await ctx.get("/a")

        script = Script().on("GET", "/slow").after(5).reply(200).on("GET", "/a").reply(200)
        result = run(flow, script)
        self.assertEqual((result.outcome, result.cancelled), ("ok", [0]))
        self.assertEqual([a.of for _, a in result._actions if a.what == "clear"], [1])

    def test_a_loser_is_given_up_inside_its_own_function_too(self) -> None:
        async def patient(ctx: Context) -> None:
            await ctx.get("/slow")

        async def flow(ctx: Context) -> None:
            await race(patient(ctx), ctx.wait(1))
            await ctx.wait(1)

        self.assertEqual(run(flow, Script().on("GET", "/slow").after(5).reply(200)).cancelled, [0])

    def test_one_that_raises_gives_up_the_others(self) -> None:
        async def flow(ctx: Context) -> None:
            try:
                await join(ctx.get("/bad"), ctx.get("/slow"))
            except ExchangeFailed:
                await ctx.wait(1)

        script = Script().on("GET", "/bad").fail("reset").on("GET", "/slow").after(5).reply(200)
        result = run(flow, script)
        self.assertEqual((result.outcome, result.cancelled), ("ok", [1]))

    def test_what_comes_for_one_given_up_is_left_alone(self) -> None:
        async def flow(ctx: Context) -> None:
            sending = ctx.get("/a")
            sending.cancel()
            sending.cancel()
            await ctx.wait(1)

        with Recording() as recording:
            iteration = Iteration(flow)
            self.assertEqual([a.what for a in recording.take()], ["send", "wait", "cancel"])
            iteration.on_response(0, Reply(200, [], b"", 0))
            iteration.on_end(0, EndCancelled())
            iteration.on_failure(7, Failure("reset", ""))
            iteration.on_items(8, ["x"])
            iteration.on_head(9, 200, [])
            iteration.on_timer(5)
            self.assertEqual(recording.take(), [])
            iteration.on_timer(0)
            self.assertEqual([a.what for a in recording.take()], ["finish"])
            iteration.on_timer(0)
            self.assertEqual(recording.take(), [])


class Life(unittest.TestCase):
    def test_what_the_engine_drops_is_freed_at_once_and_does_not_act(self) -> None:
        class Big:
            pass

        seen: list[Any] = []

        async def flow(ctx: Context) -> None:
            big = Big()
            seen.append(weakref.ref(big))
            async with ctx.events("GET", "/a") as stream:
                await race(stream.next(), ctx.wait(9))

        gc.collect()
        gc.disable()
        try:
            with Recording() as recording:
                iteration = Iteration(flow)
                iteration.on_head(0, 200, [])
                self.assertIsNotNone(seen[0]())
                recording.take()
                del iteration
                self.assertIsNone(seen[0]())
                self.assertEqual(recording.take(), [])
        finally:
            gc.enable()

    def test_iterations_do_not_know_of_each_other(self) -> None:
        async def flow(ctx: Context) -> None:
            await ctx.wait(ctx.arrival.index)
            await ctx.get(f"/{ctx.rng().below(1000)}")

        def lines(order: list[int]) -> dict[int, Any]:
            with Recording() as recording:
                its = {k: Iteration(flow, Arrival(k, k, k, 1, 0, "p", None)) for k in order}
                recording.take()
                sent = {}
                for k in order:
                    its[k].on_timer(k)
                    its[k].on_timer(order.index(k))
                    sent[k] = [a.value.path for a in recording.take()]
            return sent

        self.assertEqual(lines([0, 1, 2]), lines([2, 1, 0]))

    def test_the_generator_is_the_published_one(self) -> None:
        rng = Rng(1_234_567)
        self.assertEqual(
            [rng.next_u64() for _ in range(3)],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423],
        )
        draws = [Rng(7).unit(), Rng(7).below(10), Rng(7).pick("abc"), Rng(7).pick(""), Rng(7).below(0)]
        self.assertEqual(draws[1:], [int(draws[0] * 10), "abc"[int(draws[0] * 3)], None, 0])  # type: ignore[operator]

    def test_figures(self) -> None:
        async def flow(ctx: Context) -> None:
            reply = await ctx.get("/a")
            ctx.mark(DONE)
            ctx.mark(DONE, asked(reply.exchange))
            ctx.lap(GAP, 3)
            ctx.count(BYTES, 2)
            ctx.count(BYTES)
            ctx.observe(SIZE, 5)
            ctx.check(RIGHT, True)
            ctx.log(Level.INFO, "seen")

        result = run(flow, Script().on("GET", "/a").reply(200))
        self.assertEqual([(m.name, m.since, m.weight, m.at) for m in result.marks], [
            ("done", "due", 1, 0.001), ("done", 0, 1, 0.001), ("gap", "previous", 3, 0.001)])  # fmt: skip
        self.assertEqual((result.counted("bytes"), result.observed("size"), result.checked("right")), (3, [5.0], [True]))
        self.assertEqual(result.logs, [(Level.INFO, "seen")])

    def test_a_figure_that_cannot_be_is_an_error_here(self) -> None:
        async def weight(ctx: Context) -> None:
            ctx.lap(GAP, -1)

        async def count(ctx: Context) -> None:
            ctx.count(BYTES, 1 << 64)

        async def unknown(ctx: Context) -> None:
            ctx.mark(Mark("other", "x"))

        for flow, error in ((weight, ValueError), (count, ValueError), (unknown, LookupError)):
            with self.assertRaises(error):
                run(flow)

    def test_setup_shares_and_configure_reads(self) -> None:
        class Orders(Workload[NoConfig]):
            name, summary = "orders", "x"

            def configure(self, config: NoConfig, shared: Shared) -> None:
                self.token = shared.text("token")

            async def setup(self, ctx: Context) -> None:
                ctx.share({"token": (await ctx.post("/login")).text()})

            async def iterate(self, ctx: Context) -> None:
                await ctx.get("/orders", fields={"authorization": f"Bearer {self.token}"})

        script = Script().on("POST", "/login").reply(200, "t1").on("GET", "/orders").reply(200)
        shared = script.setup(Orders).shared
        sent = script.shared(shared).run(Orders).requests[0]
        self.assertEqual(sent.field("Authorization"), "Bearer t1")
        self.assertEqual(script.teardown(Orders).outcome, "ok")

    def test_a_flow_that_is_no_coroutine_is_refused(self) -> None:
        with self.assertRaisesRegex(TypeError, "async def"):
            workload(None, iterate=lambda self, ctx: None)


if __name__ == "__main__":
    unittest.main()
