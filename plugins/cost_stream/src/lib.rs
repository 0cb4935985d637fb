//! One streamed chat completion, with as much work in each event as the floor of streams does (`floor streams`): it looks
//! whether the event's text holds `"content"`. What `openai_chat` costs beyond it is the reading of JSON.
//! `cargo xtask compare speed` measures both.

use engine_sdk::{Context, NoConfig, Shared, Since, Stop, Verdict, Workload};

/// What is asked for.
const BODY: &[u8] =
    br#"{"model":"floor","messages":[{"role":"user","content":"Say something."}],"stream":true,"max_tokens":50}"#;
/// What an event with a token holds.
const CONTENT: &str = "\"content\"";

engine_sdk::metrics! {
    /// From due to the first event with a token.
    mark FIRST_TOKEN = "first_token";
    /// From one event with a token to the next.
    mark TOKEN_GAP = "token_gap";
}

struct Cost;

impl Workload for Cost {
    type Config = NoConfig;
    const NAME: &str = "cost_stream";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Measures what an event of a stream costs the engine, with next to no work on it";
    const METRICS: &[engine_sdk::Metric] = METRICS;

    fn configure(_: NoConfig, _: Shared) -> Result<Self, String> {
        Ok(Self)
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let request = ctx.post("/v1/chat/completions").name("stream").field("content-type", "application/json");
        let mut stream = request.body(BODY).wanted_fields(&[]).events().await?;
        stream.expect_status(200)?;
        let mut tokens = 0_u64;
        while let Some(event) = stream.next().await? {
            if !event.data.contains(CONTENT) {
                continue;
            }
            if tokens == 0 {
                ctx.mark(FIRST_TOKEN, Since::Due);
            }
            ctx.lap(TOKEN_GAP, 1);
            tokens += 1;
        }
        if tokens == 0 { Err(Stop::failed("no token")) } else { Ok(()) }
    }
}

engine_sdk::plugin!(Cost);
