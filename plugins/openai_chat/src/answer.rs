//! A streamed answer as far as it has come.

use engine_sdk::{Context, ServerSentEvent, Since, Stop, Verdict};

use crate::wire::{Chunk, Output, Usage};
use crate::{CHUNK_GAP, CHUNKS, FINISH_REASON, FIRST_CHUNK, FIRST_REASONING_TOKEN, FIRST_TOKEN, PACED};
use crate::{TOKEN_GAP, TOKENS_IN, TOKENS_OUT};

/// So many chunks to a read and more are a burst.
const BURST: u64 = 8;

/// What the events so far have brought.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// An event with something in it has come.
    began: bool,
    finished: bool,
    /// `[DONE]` has come.
    done: bool,
    /// What has come at least once.
    heard: Output,
    /// Chunks with output, and reads that brought some.
    chunks: u64,
    reads: u64,
    /// Tokens that `token_gap` has accounted for; 0 before the first output.
    counted: u64,
    usage: Usage,
}

impl Answer {
    /// Takes the events of one read. True when the answer is complete.
    ///
    /// # Errors
    /// [`Stop::Failed`] for an error that the server sent, and for what is no chunk.
    pub(crate) fn take(&mut self, ctx: &Context, events: &[ServerSentEvent]) -> Result<bool, Stop> {
        let before = self.chunks;
        for event in events {
            let data = event.data.trim();
            if data.is_empty() {
                continue;
            }
            if data == "[DONE]" {
                self.done = true;
                break;
            }
            self.event(ctx, &event.event, data)?;
        }
        self.reads += u64::from(self.chunks > before);
        ctx.count(CHUNKS, self.chunks - before);
        Ok(self.done)
    }

    fn event(&mut self, ctx: &Context, kind: &str, data: &str) -> Result<(), Stop> {
        let chunk = serde_json::from_str::<Chunk>(data);
        if let Some(error) = chunk.as_ref().ok().and_then(Chunk::error) {
            return Err(error);
        }
        if kind == "error" {
            return Err(Stop::failed("error"));
        }
        let chunk = chunk.map_err(|_| Stop::failed("unexpected chunk"))?;
        if !self.began {
            self.began = true;
            ctx.mark(FIRST_CHUNK, Since::Due);
        }
        let output = chunk.output();
        if output.any() {
            self.output(ctx, output, chunk.usage);
        }
        self.finished |= chunk.finished();
        if let Some(usage) = chunk.usage {
            self.used(ctx, usage);
        }
        Ok(())
    }

    fn output(&mut self, ctx: &Context, output: Output, usage: Option<Usage>) {
        self.chunks += 1;
        ctx.lap(CHUNK_GAP, 1);
        if self.chunks == 1 {
            // Only sets the start: how many tokens follow is not known yet. A chunk without a count is taken for one.
            ctx.lap(TOKEN_GAP, 1);
            self.counted = usage.and_then(|usage| usage.completion_tokens).unwrap_or(1).max(1);
        }
        if output.reasoning && !self.heard.reasoning {
            ctx.mark(FIRST_REASONING_TOKEN, Since::Due);
        }
        if output.text && !self.heard.text {
            ctx.mark(FIRST_TOKEN, Since::Due);
        }
        self.heard.add(output);
    }

    /// A count, of all tokens so far or of all there were.
    fn used(&mut self, ctx: &Context, usage: Usage) {
        self.usage.prompt_tokens = usage.prompt_tokens.or(self.usage.prompt_tokens);
        self.usage.completion_tokens = usage.completion_tokens.or(self.usage.completion_tokens);
        let tokens = usage.completion_tokens.unwrap_or(0);
        if self.counted > 0 && tokens > self.counted {
            ctx.lap(TOKEN_GAP, u32::try_from(tokens - self.counted).unwrap_or(u32::MAX));
            self.counted = tokens;
        }
    }

    /// The verdict when nothing more will come.
    pub(crate) fn judge(&self, ctx: &Context) -> Verdict {
        if !self.began {
            return Err(Stop::failed("empty answer"));
        }
        count_tokens(ctx, self.usage);
        if !self.finished && !self.done {
            return Err(Stop::failed("ended without [DONE] and without a finish reason"));
        }
        ctx.check(FINISH_REASON, self.finished);
        if self.chunks > 1 {
            ctx.check(PACED, self.reads > 1 && self.chunks < BURST * self.reads);
        }
        Ok(())
    }
}

/// Counts the tokens that the server says there were.
pub(crate) fn count_tokens(ctx: &Context, usage: Usage) {
    if let Some(tokens) = usage.prompt_tokens {
        ctx.count(TOKENS_IN, tokens);
    }
    if let Some(tokens) = usage.completion_tokens {
        ctx.count(TOKENS_OUT, tokens);
    }
}
