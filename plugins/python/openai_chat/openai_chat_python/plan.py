"""The checked configuration, and the flow of an iteration."""

import json
import re
from typing import Any

from engine_sdk import Blob, Context, Failed, FailedBy, Refused, ServerSentEvent, Shared, Stream, Workload, race

from .answer import Answer, count_tokens
from .config import Config
from .metrics import FINISH_REASON, HEAD, METRICS
from .wire import Chunk, Unexpected

# Seconds for which the end of an answer is waited for that is complete already, so that its connection can be used again.
REST = 1.0
# Keys of the body that the configuration has keys of its own for.
OWN = ("model", "messages", "stream", "max_tokens")
# What is asked where no prompt is given.
PROMPT = "Explain in one paragraph how a tide comes about."
# The most bytes of an answer in JSON where a stream was asked for.
LARGEST = 4 << 20

_GRAPHIC = re.compile("[!-~]*")
_PATH = re.compile("(?:/[!-~]*)?")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+\-.^_`|~]+")
_LINE = re.compile("[ -~]*")


class OpenAiChat(Workload[Config]):
    """A request for a completion, ready to be sent."""

    name = "openai_chat_python"
    summary = "Chat completions of any OpenAI-compatible server, streaming or not"
    metrics = METRICS

    def configure(self, config: Config, shared: Shared) -> None:
        if not config.model:
            raise Refused("config.model: must not be empty")
        for key in OWN:
            if key in config.extra:
                raise Refused(f"config.extra.{key}: this has a key of its own in `config`, or is made by the plugin")
        if config.prompt is not None and config.prompts is not None:
            raise Refused("config: give `prompt` or `prompts`, not both")
        self.path = _path(config.base_path)
        self.fields = _fields(config)
        self.config = config
        self.extra = dict(config.extra)
        if config.stream and config.include_usage:
            self.extra.setdefault("stream_options", {"include_usage": True})
        self.prompts = config.prompts or [PROMPT if config.prompt is None else config.prompt]
        # Bodies that are the same each time.
        self.blobs = [] if config.vary else [Blob.register(self._body(prompt)) for prompt in self.prompts]

    async def iterate(self, ctx: Context) -> None:
        turn = ctx.arrival.index % len(self.prompts)
        body: Any = {"blob": self.blobs[turn]} if self.blobs else {"body": self._varied(ctx, turn)}
        if self.config.stream:
            wanted = ["content-type"]
            stream = await ctx.events("POST", self.path, name="chat", fields=self.fields, wanted_fields=wanted, **body)
            await self._read(ctx, stream)
        else:
            reply = await ctx.post(self.path, name="chat", fields=self.fields, wanted_fields=[], **body)
            reply.expect_status(200)
            _whole(ctx, reply.body)

    def _varied(self, ctx: Context, turn: int) -> bytes:
        return self._body(f"[{ctx.arrival.seed:016x}] {self.prompts[turn]}")

    def _body(self, prompt: str) -> bytes:
        config = self.config
        messages = [] if config.system is None else [{"role": "system", "content": config.system}]
        messages.append({"role": "user", "content": prompt})
        body: dict[str, Any] = {"model": config.model, "messages": messages, "stream": config.stream}
        if config.max_tokens is not None:
            body["max_tokens"] = config.max_tokens
        return json.dumps(body | self.extra, ensure_ascii=False, separators=(",", ":")).encode()

    async def _read(self, ctx: Context, stream: Stream[ServerSentEvent]) -> None:
        ctx.mark(HEAD)
        try:
            stream.expect_status(200)
        except FailedBy:
            await _rest(ctx, stream)
            raise
        if (stream.field("content-type") or "").lstrip().startswith("application/json"):
            # Not streamed, whatever was asked for: an answer all the same, without the time of a first token.
            _whole(ctx, await stream.into_bytes(LARGEST))
            return
        answer = Answer()
        while (events := await stream.next_batch()) is not None:
            if answer.take(ctx, events):
                await _rest(ctx, stream)
                break
        answer.judge(ctx)


async def _rest(ctx: Context, stream: Stream[ServerSentEvent]) -> None:
    """Reads what still comes, for a while: the answer is judged already."""
    await race(stream.finish(), ctx.wait(REST))


def _whole(ctx: Context, body: bytes) -> None:
    """The verdict on an answer that is no stream. Raises: `Failed`."""
    if not body.strip():
        raise Failed("empty answer")
    try:
        answer = Chunk(body)
    except Unexpected:
        raise Failed("unexpected JSON") from None
    if answer.error is not None:
        raise answer.error
    if not answer.output and not answer.finished:
        raise Failed("empty answer")
    count_tokens(ctx, answer.prompt_tokens, answer.completion_tokens)
    ctx.check(FINISH_REASON, answer.finished)


def _path(base: str) -> str:
    base = base.rstrip("/")
    if not _PATH.fullmatch(base) or "?" in base or "#" in base:
        raise Refused('config.base_path: must begin with / and be a path alone, such as "/v1"')
    return f"{base}/chat/completions"


def _fields(config: Config) -> list[tuple[str, str]]:
    accept = "text/event-stream" if config.stream else "application/json"
    fields = [("Content-Type", "application/json"), ("Accept", accept)]
    if config.api_key:
        if not _GRAPHIC.fullmatch(config.api_key):
            raise Refused("config.api_key: must be printable ASCII without spaces")
        fields.append(("Authorization", f"Bearer {config.api_key}"))
    for name, value in sorted(config.fields.items()):
        if not _TOKEN.fullmatch(name):
            raise Refused(f'config.fields: "{name}" is no field name')
        if not _LINE.fullmatch(value):
            raise Refused(f"config.fields.{name}: must be one line of printable ASCII")
        fields = [(known, kept) for known, kept in fields if known.lower() != name.lower()]
        fields.append((name, value))
    return fields
