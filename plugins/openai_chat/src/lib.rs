//! Chat completions of any OpenAI-compatible server, streaming or not.
//!
//! ```toml
//! [[workload]]
//! name = "openai_chat"
//! share = 1
//!
//! [workload.config]
//! model = "gpt-4o-mini"
//! api_key = "${OPENAI_API_KEY:-}"
//! prompts = ["Name three rivers.", "Explain tides in one paragraph."]
//! max_tokens = 200
//! extra = { temperature = 0 }
//! ```
//!
//! # When an answer is right
//! A stream is right when it ends with `[DONE]` or has named a finish reason before its end. The check `finish_reason`
//! tells how many named one. A stream that just ends is a failure, and so are an error inside a 200 (`check: error:
//! <type>`) and an answer that has nothing in it. One in JSON though a stream was asked for is right if its text is, and has
//! no time of a first token. Another status than 200 keeps the engine's reason (`http_429`).
//!
//! # Times
//! `first_token` is the first text of the answer that is not empty, `first_reasoning_token` that of a reasoning model's
//! thoughts; a role, an empty or absent text and a keep-alive are neither. `chunk_gap` is from one chunk with output
//! (text, thoughts or tool calls) to the next, and chunks that came in one read are 0 apart. `token_gap` is a time per
//! token and needs the server's count: with a running `usage` in each chunk (vLLM's
//! `stream_options.continuous_usage_stats`) each interval is shared out to its tokens; with the usual one at the end all
//! tokens after the first chunk have an equal part of the time since then. Tokens per second of one answer are the
//! inverse of its mean; those of the whole run are `tokens_out` over its time. Without counts there is no `token_gap`.
//!
//! A server or a proxy that sends everything at the end in one burst makes `first_token` useless. The check `paced` fails
//! for an answer of several chunks that came in one read, or eight and more a read.

mod answer;
mod config;
mod plan;
mod wire;

#[cfg(test)]
mod tests;

engine_sdk::metrics! {
    /// From due to the status and fields of a streamed answer: far before the first chunk where a server or a proxy
    /// compresses or holds back.
    mark HEAD = "head";
    /// From due to the first event of the stream, whatever it holds.
    mark FIRST_CHUNK = "first_chunk";
    /// From due to the first text of a reasoning model's thoughts that is not empty.
    mark FIRST_REASONING_TOKEN = "first_reasoning_token";
    /// From due to the first text of the answer that is not empty.
    mark FIRST_TOKEN = "first_token";
    /// From one chunk with output to the next; chunks of one read are 0 apart.
    mark CHUNK_GAP = "chunk_gap";
    /// From token to token by the server's count. Its inverse is tokens per second.
    mark TOKEN_GAP = "token_gap";
    /// Chunks with output.
    counter CHUNKS = "chunks" in "chunks";
    /// Tokens of the prompts, by the server's count.
    counter TOKENS_IN = "tokens_in" in "tokens";
    /// Tokens of the answers, by the server's count.
    counter TOKENS_OUT = "tokens_out" in "tokens";
    /// The answer named why it ended.
    check FINISH_REASON = "finish_reason";
    /// The chunks of a streamed answer came one after the other, not in one burst.
    check PACED = "paced";
}

engine_sdk::plugin!(plan::OpenAiChat);
