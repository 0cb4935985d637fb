import json
import unittest
from typing import Any

from engine_sdk.testing import Run, Script, refusal

from openai_chat_python import OpenAiChat

PATH = "/v1/chat/completions"


def chunk(text: str | None, **more: Any) -> str:
    return json.dumps({"choices": [{"delta": {"content": text}, **more}]})


def run(script: Script, **config: Any) -> Run:
    return script.run(OpenAiChat, {"model": "m", **config})


def stream(*reads: list[str]) -> Script:
    pieces = Script().on("POST", PATH).field("content-type", "text/event-stream").stream(200)
    for read in reads:
        pieces = pieces.pause(1).events(read)
    return pieces.end()


class Streamed(unittest.TestCase):
    def test_a_stream_is_timed_and_counted(self) -> None:
        usage = json.dumps({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}})
        result = run(stream([chunk("")], [chunk("a")], [chunk("b"), chunk(None, finish_reason="stop")], [usage, "[DONE]"]))
        self.assertEqual(result.outcome, "ok")
        marks = [(mark.name, mark.since, mark.weight, mark.at) for mark in result.marks]
        self.assertEqual(
            marks,
            [
                ("head", "due", 1, 0.001),
                ("first_chunk", "due", 1, 1.001),
                ("chunk_gap", "previous", 1, 2.001),
                ("token_gap", "previous", 1, 2.001),
                ("first_token", "due", 1, 2.001),
                ("chunk_gap", "previous", 1, 3.001),
                ("token_gap", "previous", 6, 4.001),
            ],
        )
        self.assertEqual([result.counted(name) for name in ("chunks", "tokens_in", "tokens_out")], [2, 5, 7])
        self.assertEqual((result.checked("finish_reason"), result.checked("paced")), ([True], [True]))

    def test_a_burst_is_not_paced(self) -> None:
        self.assertEqual(run(stream([chunk("a")] * 9 + ["[DONE]"])).checked("paced"), [False])

    def test_thoughts_are_not_the_answer(self) -> None:
        thought = json.dumps({"choices": [{"delta": {"reasoning_content": "hm"}}]})
        names = [mark.name for mark in run(stream([thought], [chunk("a"), "[DONE]"])).marks]
        self.assertLess(names.index("first_reasoning_token"), names.index("first_token"))

    def test_what_is_no_answer_fails_by_its_text(self) -> None:
        error = json.dumps({"error": {"type": "overloaded_error", "message": "x"}})
        whole = json.dumps({"object": "error", "code": "rate_limit"})
        for data, reason in (
            ([error], "error: overloaded_error"),
            ([whole], "error: rate_limit"),
            (['{"error": 5}'], "error"),
            (["{"], "unexpected chunk"),
            (["[]"], "unexpected chunk"),
            ([], "empty answer"),
            ([chunk("a")], "ended without [DONE] and without a finish reason"),
        ):
            script = stream(data) if data else stream()
            self.assertEqual(run(script).reason, f"check: {reason}")

    def test_the_end_of_a_connection_is_waited_for_a_second(self) -> None:
        pieces = Script().on("POST", PATH).stream(200).events([chunk("a"), "[DONE]"])
        self.assertEqual(run(pieces.pause(60).end()).took, 1.001)

    def test_another_status_keeps_the_engines_reason(self) -> None:
        self.assertEqual(run(Script().on("POST", PATH).reply(429)).reason, "http_429")

    def test_json_though_a_stream_was_asked_for(self) -> None:
        body = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
        result = run(Script().on("POST", PATH).reply_json(200, body))
        self.assertEqual((result.outcome, [mark.name for mark in result.marks]), ("ok", ["head"]))


class Whole(unittest.TestCase):
    def test_a_whole_answer(self) -> None:
        body = {"choices": [{"message": {"tool_calls": [{"id": "1", "function": {"name": "f"}}]}}]}
        result = run(Script().on("POST", PATH).reply_json(200, body | {"usage": {"completion_tokens": 3}}), stream=False)
        self.assertEqual((result.outcome, result.counted("tokens_out")), ("ok", 3))
        self.assertEqual(result.checked("finish_reason"), [False])
        for text, reason in (("", "empty answer"), ("{}", "empty answer"), ("<p>", "unexpected JSON")):
            self.assertEqual(run(Script().on("POST", PATH).reply(200, text), stream=False).reason, f"check: {reason}")


class Requests(unittest.TestCase):
    def test_the_request_is_what_the_configuration_says(self) -> None:
        config = {"prompts": ["p", "q"], "system": "s", "max_tokens": 9, "extra": {"temperature": 0}, "api_key": "k"}
        fields = {"accept": "x", "api-key": "y"}
        script = Script().on("POST", "/llm/chat/completions").reply(503).arrival(index=1)
        sent = run(script, **config, fields=fields, base_path="/llm/").requests
        self.assertEqual(
            sent[0].json(),
            {
                "model": "m",
                "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}],
                "stream": True,
                "max_tokens": 9,
                "temperature": 0,
                "stream_options": {"include_usage": True},
            },
        )
        self.assertEqual([sent[0].field(name) for name in ("accept", "api-key", "authorization")], ["x", "y", "Bearer k"])
        self.assertTrue(sent[0].blob)

    def test_a_varied_prompt_begins_with_the_seed(self) -> None:
        sent = run(Script().on("POST", PATH).reply(503).arrival(seed=255), vary=True, prompt="p").requests
        self.assertEqual(sent[0].json()["messages"][0]["content"], "[00000000000000ff] p")

    def test_a_configuration_that_is_wrong_names_the_key(self) -> None:
        for config, text in (
            ({}, "config.model: missing field"),
            ({"model": ""}, "config.model: must not be empty"),
            ({"model": "m", "prompts": []}, "config.prompts: must be at least 1 long"),
            ({"model": "m", "prompt": "a", "prompts": ["b"]}, "config: give `prompt` or `prompts`, not both"),
            ({"model": "m", "base_path": "v1"}, "config.base_path: must begin with /"),
            ({"model": "m", "api_key": "a b"}, "config.api_key: must be printable ASCII"),
            ({"model": "m", "fields": {"a b": "c"}}, 'config.fields: "a b" is no field name'),
            ({"model": "m", "extra": {"stream": True}}, "config.extra.stream: this has a key of its own"),
            ({"model": "m", "max_tokens": 0}, "config.max_tokens: must be at least 1"),
        ):
            self.assertTrue((refusal(OpenAiChat, config) or "").startswith(text), (config, refusal(OpenAiChat, config)))


if __name__ == "__main__":
    unittest.main()
