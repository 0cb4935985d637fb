"""A streamed answer as far as it has come."""

from engine_sdk import Context, Failed, ServerSentEvent

from .metrics import (
    CHUNK_GAP,
    CHUNKS,
    FINISH_REASON,
    FIRST_CHUNK,
    FIRST_REASONING_TOKEN,
    FIRST_TOKEN,
    PACED,
    TOKEN_GAP,
    TOKENS_IN,
    TOKENS_OUT,
)
from .wire import Chunk, Unexpected

BURST = 8  # so many chunks to a read and more are a burst
_U32 = 2**32 - 1


class Answer:
    """What the events so far have brought."""

    def __init__(self) -> None:
        self.began = False  # an event with something in it has come
        self.finished = False
        self.done = False  # `[DONE]` has come
        self.text = self.reasoning = False  # has come at least once
        self.chunks = 0  # with output
        self.reads = 0  # that brought some
        self.counted = 0  # tokens that `token_gap` has accounted for; 0 before the first output
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None

    def take(self, ctx: Context, events: list[ServerSentEvent]) -> bool:
        """Takes the events of one read. True when the answer is complete.

        Raises: `Failed` for an error that the server sent, and for what is no chunk.
        """
        before = self.chunks
        for event in events:
            data = event.data.strip()
            if not data:
                continue
            if data == "[DONE]":
                self.done = True
                break
            self._event(ctx, event.event, data)
        self.reads += self.chunks > before
        ctx.count(CHUNKS, self.chunks - before)
        return self.done

    def _event(self, ctx: Context, kind: str, data: str) -> None:
        try:
            chunk = Chunk(data)
        except Unexpected:
            raise Failed("error" if kind == "error" else "unexpected chunk") from None
        if chunk.error is not None:
            raise chunk.error
        if kind == "error":
            raise Failed("error")
        if not self.began:
            self.began = True
            ctx.mark(FIRST_CHUNK)
        if chunk.output:
            self._output(ctx, chunk)
        self.finished = self.finished or chunk.finished
        self._used(ctx, chunk)

    def _output(self, ctx: Context, chunk: Chunk) -> None:
        self.chunks += 1
        ctx.lap(CHUNK_GAP)
        if self.chunks == 1:
            # Only sets the start: how many tokens follow is not known yet. A chunk without a count is taken for one.
            ctx.lap(TOKEN_GAP)
            self.counted = max(chunk.completion_tokens or 1, 1)
        if chunk.reasoning and not self.reasoning:
            self.reasoning = True
            ctx.mark(FIRST_REASONING_TOKEN)
        if chunk.text and not self.text:
            self.text = True
            ctx.mark(FIRST_TOKEN)

    def _used(self, ctx: Context, chunk: Chunk) -> None:
        """A count, of all tokens so far or of all there were."""
        if chunk.prompt_tokens is not None:
            self.prompt_tokens = chunk.prompt_tokens
        if chunk.completion_tokens is not None:
            self.completion_tokens = chunk.completion_tokens
        tokens = chunk.completion_tokens or 0
        if 0 < self.counted < tokens:
            ctx.lap(TOKEN_GAP, min(tokens - self.counted, _U32))
            self.counted = tokens

    def judge(self, ctx: Context) -> None:
        """The verdict when nothing more will come. Raises: `Failed`."""
        if not self.began:
            raise Failed("empty answer")
        count_tokens(ctx, self.prompt_tokens, self.completion_tokens)
        if not self.finished and not self.done:
            raise Failed("ended without [DONE] and without a finish reason")
        ctx.check(FINISH_REASON, self.finished)
        if self.chunks > 1:
            ctx.check(PACED, self.reads > 1 and self.chunks < BURST * self.reads)


def count_tokens(ctx: Context, prompt: int | None, completion: int | None) -> None:
    """Counts the tokens that the server says there were."""
    if prompt is not None:
        ctx.count(TOKENS_IN, prompt)
    if completion is not None:
        ctx.count(TOKENS_OUT, completion)
