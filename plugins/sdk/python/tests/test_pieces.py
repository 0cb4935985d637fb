"""Streams and sockets, natively by script."""

import unittest

from engine_sdk import Context, Failed, ServerSentEvent, ensure, race
from engine_sdk.testing import Script
from test_flows import GAP, run


class Streams(unittest.TestCase):
    def test_the_pieces_of_one_read_are_a_batch(self) -> None:
        async def flow(ctx: Context) -> None:
            stream = await ctx.events("POST", "/chat", json="x")
            stream.expect_status(200)
            while (batch := await stream.next_batch()) is not None:
                ctx.lap(GAP, len(batch))
                ensure(all(isinstance(event, ServerSentEvent) for event in batch), "events")

        script = Script().on("POST", "/chat").stream(200).events(["a", "b"]).pause(1).event("done", "c").end()
        result = run(flow, script)
        self.assertEqual([(mark.weight, mark.at) for mark in result.marks], [(2, 0.001), (1, 1.001)])
        self.assertEqual(result.requests[0].read, "events")

    def test_what_came_before_a_failure_is_handed_over(self) -> None:
        seen: list[str] = []

        async def flow(ctx: Context) -> None:
            async for line in await ctx.lines("GET", "/l"):
                seen.append(line)

        script = Script().on("GET", "/l").stream(200).lines(["a", "b"]).fail("truncated")
        self.assertEqual(run(flow, script).reason, "truncated")
        self.assertEqual(seen, ["a", "b"])

    def test_a_stream_that_is_left_is_cancelled(self) -> None:
        async def flow(ctx: Context) -> None:
            async with ctx.chunks("GET", "/c") as stream:
                ensure(await stream.next() == b"1", "first")
            await ctx.wait(1)

        script = Script().on("GET", "/c").stream(200).chunk(b"1").pause(5).chunk(b"2").end()
        result = run(flow, script)
        self.assertEqual((result.outcome, result.cancelled), ("ok", [0]))

    def test_one_that_has_ended_is_not(self) -> None:
        async def flow(ctx: Context) -> None:
            async with ctx.head("GET", "/h") as stream:
                ensure(stream.field("etag") == "1", "head")
                await stream.finish()
            await ctx.wait(1)

        result = run(flow, Script().on("GET", "/h").field("etag", "1").reply(200, "body"))
        self.assertEqual((result.outcome, result.cancelled), ("ok", []))

    def test_json_in_the_place_of_events(self) -> None:
        async def flow(ctx: Context) -> None:
            stream = await ctx.events("GET", "/e")
            ensure(await stream.into_bytes(10) == b"[1]", "whole")
            stream = await ctx.events("GET", "/e")
            await stream.into_bytes(2)

        self.assertEqual(run(flow, Script().on("GET", "/e").reply_json(200, [1])).reason, "check: answer too large")

    def test_the_rest_of_a_stream_is_read_for_a_while(self) -> None:
        async def flow(ctx: Context) -> None:
            stream = await ctx.lines("GET", "/l")
            await race(stream.finish(), ctx.wait(1))
            await ctx.wait(1)

        script = Script().on("GET", "/l").stream(200).lines(["a"]).pause(5).end()
        self.assertEqual(run(flow, script).cancelled, [0])

    def test_next_that_loses_does_not_end_the_stream(self) -> None:
        async def flow(ctx: Context) -> None:
            stream = await ctx.lines("GET", "/l")
            await race(stream.next(), ctx.wait(1))
            ensure(await stream.next() == "late", "late")

        self.assertEqual(run(flow, Script().on("GET", "/l").stream(200).pause(5).lines(["late"]).end()).outcome, "ok")

    def test_a_failure_before_the_head(self) -> None:
        async def flow(ctx: Context) -> None:
            async with ctx.events("GET", "/e"):
                raise Failed("not reached")

        self.assertEqual(run(flow, Script().on("GET", "/e").fail("refused")).reason, "refused")


class Sockets(unittest.TestCase):
    def test_a_conversation(self) -> None:
        async def flow(ctx: Context) -> None:
            socket = await ctx.socket("/ws", name="talk", subprotocols=["chat"])
            ensure(socket.subprotocol == "chat", "subprotocol")
            socket.send_text("hello")
            ensure(await socket.next_batch() == ["a", b"b"], "batch")
            socket.send_binary(b"bin")
            closed = await socket.close(1000, "done")
            ensure(closed is not None and closed.code == 1000, "closed")

        script = Script().on("WS", "/ws").open("chat").expect("hello").messages("a", b"b").expect(b"bin").until_closed()
        result = run(flow, script)
        self.assertEqual(result.outcome, "ok")
        self.assertEqual(result.written(0), ["hello", b"bin"])
        self.assertEqual(result.requests[0].subprotocols, ["chat"])
        self.assertEqual(getattr(result.closed(0), "reason", None), "done")

    def test_the_peer_closes(self) -> None:
        async def flow(ctx: Context) -> None:
            async with ctx.socket("/ws") as socket:
                ensure([message async for message in socket] == ["a"], "all")
                ensure(socket.close_info is not None and socket.close_info.code == 1001, "info")

        result = run(flow, Script().on("WS", "/ws").open().messages("a").close(1001, "restart"))
        self.assertEqual((result.outcome, result.cancelled), ("ok", []))

    def test_a_refused_upgrade_is_a_failure(self) -> None:
        async def flow(ctx: Context) -> None:
            await ctx.socket("/ws")

        self.assertEqual(run(flow, Script().on("WS", "/ws").fail("upgrade_refused")).reason, "upgrade_refused")

    def test_bytes_are_no_text(self) -> None:
        async def flow(ctx: Context) -> None:
            (await ctx.socket("/ws")).send_text(b"x")  # type: ignore[arg-type]

        with self.assertRaises(TypeError):
            run(flow, Script().on("WS", "/ws").open().until_closed())


if __name__ == "__main__":
    unittest.main()
