//! Does, on purpose, what plugins must not do: to see how the engine contains it, and what its author is shown.
//!
//! ```toml
//! [[workload]]
//! plugin = "misbehave"
//! config = { how = "panic", every = 3 }
//! ```
//!
//! Every so many arrivals it misbehaves when the answer to a GET of `path` has come; the others are right. It also has a
//! setup flow that shares or refuses and a teardown flow that sends, as its configuration says.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use engine_sdk::{Context, Flow, Level, Shared, Stop, Verdict, Workload};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What to do, and how often.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// What it does.
    #[serde(default)]
    how: How,
    /// Every so many arrivals, from 1.
    #[serde(default = "one")]
    every: u64,
    /// How long one call of `busy` computes: six million turns are 5 ms at the least, on the fastest cores there are.
    #[serde(default = "turns")]
    turns: u64,
    /// What is asked for.
    #[serde(default = "root")]
    path: String,
    /// What the setup flow shares.
    share: Option<Map<String, Value>>,
    /// Refuses the run in its setup flow, with this text.
    refuse: Option<String>,
    /// What the teardown flow asks for.
    farewell: Option<String>,
}

/// The ways to misbehave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum How {
    /// Not at all.
    #[default]
    Well,
    /// Panics.
    Panic,
    /// Computes for some milliseconds, in one call.
    Busy,
    /// Calls itself for ever.
    Recursion,
    /// Loops for ever.
    Endless,
    /// Allocates for ever.
    Memory,
    /// Never finishes, and waits for nothing.
    Stall,
    /// Waits for a day.
    Sleep,
    /// Waits for nothing at all, for ever.
    Spin,
    /// Asks for 20,000 exchanges at once.
    Flood,
    /// Writes a second request into a field of the first.
    Split,
    /// Asks a host that the scenario does not allow.
    Elsewhere,
    /// Sends a body larger than its memory.
    Huge,
    /// Logs 100,000 lines.
    Chatter,
    /// Panics where its request fails.
    Brittle,
    /// Asks again, for ever, until the status is 200.
    Stubborn,
    /// Keeps 4 KiB of every iteration.
    Leak,
    /// Asks for another path after every iteration of its instance.
    Remember,
}

fn one() -> u64 {
    1
}

fn turns() -> u64 {
    6_000_000
}

fn root() -> String {
    "/".to_owned()
}

struct Misbehave {
    config: Config,
    /// What setup has shared, as a query.
    query: String,
    /// Iterations so far: what no plugin should know.
    seen: Cell<u64>,
}

impl Workload for Misbehave {
    type Config = Config;
    const NAME: &str = "misbehave";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Does, on purpose, what plugins must not do";

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        if config.every == 0 {
            return Err("config.every: from 1".to_owned());
        }
        let shared: Map<String, Value> = shared.read()?;
        let pairs = shared.iter().filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?)));
        let query = pairs.collect::<Vec<_>>().join("&");
        let query = if query.is_empty() { query } else { format!("?{query}") };
        Ok(Self { config, query, seen: Cell::new(0) })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let path = format!("{}{}", self.config.path, self.query);
        match self.config.how {
            How::Brittle => {
                if ctx.get(&path).name("ask").count_body().send().await.is_err() {
                    dislike(ctx.arrival().index);
                }
                return Ok(());
            }
            How::Stubborn => {
                while !ctx.get(&path).name("ask").count_body().send().await.is_ok_and(|reply| reply.status() == 200) {}
                return Ok(());
            }
            How::Remember => {
                self.seen.set(self.seen.get() + 1);
                let path = format!("{path}/{}", self.seen.get());
                ctx.get(&path).name("ask").count_body().send().await?.expect_status(200)?;
                return Ok(());
            }
            _ => {}
        }
        ctx.get(&path).name("ask").count_body().send().await?.expect_status(200)?;
        if (ctx.arrival().index + 1).is_multiple_of(self.config.every) {
            return misbehave(&ctx, &self.config).await;
        }
        Ok(())
    }

    fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        if self.config.share.is_none() && self.config.refuse.is_none() {
            return None;
        }
        Some(Box::pin(async move {
            if let Some(text) = &self.config.refuse {
                return Err(Stop::failed(text.clone()));
            }
            if let Some(share) = &self.config.share {
                ctx.share(share)?;
            }
            Ok(())
        }))
    }

    fn teardown(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        let path = self.config.farewell.clone()?;
        Some(Box::pin(async move {
            ctx.get(&path).name("farewell").send().await?.expect_status(200)?;
            Ok(())
        }))
    }
}

async fn misbehave(ctx: &Context, config: &Config) -> Verdict {
    match config.how {
        How::Panic => dislike(ctx.arrival().index),
        How::Busy => {
            // Each turn needs the one before it, so that no core does two at once.
            let mut state = ctx.arrival().seed | 1;
            for _ in 0..config.turns {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }
            std::hint::black_box(state);
        }
        How::Recursion => {
            std::hint::black_box(descend(1));
        }
        How::Endless => loop {
            std::hint::black_box(0);
        },
        How::Memory => {
            let mut all: Vec<Vec<u8>> = Vec::new();
            loop {
                all.push(std::hint::black_box(vec![1; 1 << 20]));
            }
        }
        How::Stall => std::future::pending().await,
        How::Sleep => ctx.wait(Duration::from_hours(24)).await,
        How::Spin => loop {
            ctx.wait(Duration::ZERO).await;
        },
        How::Flood => {
            let all: Vec<_> = (0..20_000).map(|_| ctx.get("/small").name("flood").count_body().send()).collect();
            for one in all {
                one.await?;
            }
        }
        How::Split => {
            let second = "x\r\n\r\nGET /smuggled HTTP/1.1\r\nhost: x";
            ctx.get("/small").name("split").field("x-a", second).count_body().send().await?;
        }
        How::Elsewhere => {
            let reply = ctx.get("/latest/meta-data").name("elsewhere").authority("169.254.169.254").count_body();
            reply.send().await?;
        }
        How::Huge => {
            ctx.post("/echo").name("huge").body(vec![0; 200 << 20]).count_body().send().await?;
        }
        How::Chatter => {
            for line in 0..100_000 {
                ctx.log(Level::Info, &format!("line {line}"));
            }
        }
        How::Leak => std::mem::forget(std::hint::black_box(vec![1_u8; 4 << 10])),
        // One does nothing, the others have done it before.
        How::Well | How::Brittle | How::Stubborn | How::Remember => {}
    }
    Ok(())
}

// A function of its own in the component, as a plugin of some size has many: traps are told with their names.
#[inline(never)]
fn dislike(index: u64) -> ! {
    panic!("the answer to arrival {index} was not to my liking")
}

#[expect(unconditional_recursion, reason = "that is the point")]
fn descend(depth: u64) -> u64 {
    let room = std::hint::black_box([depth; 64]);
    descend(depth + 1) + room[63]
}

engine_sdk::plugin!(Misbehave);

#[cfg(test)]
mod tests {
    use engine_sdk::testing::{Outcome, Script};

    use super::*;

    #[test]
    fn it_behaves_where_it_is_not_told_otherwise() {
        let script = Script::new().on("GET", "/").reply(200, "");
        assert_eq!(script.run::<Misbehave>("{}").outcome(), &Outcome::Ok);
    }

    #[test]
    #[should_panic(expected = "the answer to arrival 0 was not to my liking")]
    fn it_panics_where_it_is_told_to() {
        Script::new().on("GET", "/").reply(200, "").run::<Misbehave>(r#"{ "how": "panic" }"#);
    }
}
