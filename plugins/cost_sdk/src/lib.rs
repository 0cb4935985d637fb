//! One exchange through the SDK, the same as that of `cost_raw`: how much the SDK adds to what an iteration costs.
//! `engine/benches/` measures both.

use engine_sdk::{Context, NoConfig, Shared, Since, Verdict, Workload, ensure};

/// The request's fields, as in `cost_raw`.
const FIELDS: [(&str, &str); 5] = [
    ("accept", "application/json"),
    ("content-type", "application/json"),
    ("authorization", "Bearer 0123456789abcdef0123456789abcdef"),
    ("x-organization", "910a2dec-8902-4cc1-bfcd-5625358f25c6"),
    ("user-agent", "cost/0.1"),
];
/// Bytes of the request's body.
const BODY: usize = 300;

engine_sdk::metrics! {
    /// From asking to the answer.
    mark ANSWERED = "answered";
}

/// What need not be made for each iteration.
struct Cost {
    body: Vec<u8>,
}

impl Workload for Cost {
    type Config = NoConfig;
    const NAME: &str = "cost_sdk";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Measures what an iteration costs the engine: one exchange, through the SDK";
    const METRICS: &[engine_sdk::Metric] = METRICS;

    fn configure(_: NoConfig, _: Shared) -> Result<Self, String> {
        Ok(Self { body: vec![b'x'; BODY] })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let request = ctx.post("/api/v1/cost?limit=20").name("cost").fields(&FIELDS).body(&self.body[..]);
        let reply = request.send().await?;
        reply.expect_status(200)?;
        ensure(reply.field("content-type") == Some("application/json"), "unexpected content type")?;
        ctx.mark(ANSWERED, Since::Asked(reply.exchange()));
        Ok(())
    }
}

engine_sdk::plugin!(Cost);
