//! `floor streams`: chat completions as server-sent events on hyper's connection, each event decoded.

mod events;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use serde::Serialize;
use stub_model::clock::monotonic_ns;
use stub_model::model::STAMP_FIELD;
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use crate::origin::Origin;
use crate::process;
use crate::times::{Figures as TimesFigures, Times};
use events::Events;

const BODY: &str = r#"{"model":"floor","messages":[{"role":"user","content":"Say something."}],"stream":true}"#;

#[derive(Debug, clap::Args)]
pub(crate) struct Streams {
    /// The target, without a path
    #[arg(long)]
    url: String,
    /// Streams at once, each on a connection of its own
    #[arg(long = "streams", value_name = "N", default_value_t = 200)]
    at_once: u32,
    /// No stream begins after this time
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration)]
    duration: Duration,
    /// The first streams begin evenly over this time, so that not all tokens come at once
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = humantime::parse_duration)]
    spread: Duration,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    floor: &'static str,
    streams: u64,
    tokens: u64,
    seconds: f64,
    /// From asking to the first token's bytes.
    first_token: TimesFigures,
    /// From one token to the next.
    gap: TimesFigures,
    /// From the moment a first token was handed over, as the event itself says, to its bytes.
    added: TimesFigures,
}

/// What all streams share.
struct Books {
    streams: u64,
    tokens: u64,
    first_token: Times,
    gap: Times,
    added: Times,
}

impl Books {
    /// A token came. `before_ns` is when the one before it came, or when the stream was asked for.
    fn token(&mut self, first: bool, before_ns: u64, now_ns: u64, sent_ns: Option<u64>) {
        self.tokens += 1;
        if first {
            self.first_token.record(now_ns - before_ns);
            if let Some(sent_ns) = sent_ns {
                self.added.record(now_ns.saturating_sub(sent_ns));
            }
        } else {
            self.gap.record(now_ns - before_ns);
        }
    }
}

impl Streams {
    pub(crate) fn run(&self) -> Result<Figures> {
        process::raise_descriptor_limit();
        let origin = Rc::new(Origin::of(&self.url)?);
        let books = Books { streams: 0, tokens: 0, first_token: Times::new(), gap: Times::new(), added: Times::new() };
        let books = Rc::new(RefCell::new(books));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let start = Instant::now();
        LocalSet::new().block_on(&runtime, async {
            let ask = |k| {
                let (origin, books) = (Rc::clone(&origin), Rc::clone(&books));
                let (from, until) = (start + self.spread * k / self.at_once, start + self.duration);
                tokio::task::spawn_local(async move {
                    tokio::time::sleep_until(from.into()).await;
                    ask(origin, until, books).await
                })
            };
            let connections: Vec<_> = (0..self.at_once).map(ask).collect();
            for connection in connections {
                connection.await??;
            }
            anyhow::Ok(())
        })?;
        let seconds = start.elapsed().as_secs_f64();
        let books = books.borrow();
        Ok(Figures {
            floor: "streams",
            streams: books.streams,
            tokens: books.tokens,
            seconds,
            first_token: books.first_token.figures(),
            gap: books.gap.figures(),
            added: books.added.figures(),
        })
    }
}

/// One stream after the other on one connection.
async fn ask(origin: Rc<Origin>, until: Instant, books: Rc<RefCell<Books>>) -> Result<()> {
    let stream = TcpStream::connect(origin.address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    // How it ended, the sender says too.
    tokio::task::spawn_local(async move { drop(connection.await) });
    while Instant::now() < until {
        let request = Request::post("/v1/chat/completions")
            .header("host", &origin.authority)
            .header("content-type", "application/json")
            .header(STAMP_FIELD, "1")
            .body(Full::new(Bytes::from_static(BODY.as_bytes())))?;
        sender.ready().await?;
        let (mut before_ns, mut first) = (monotonic_ns(), true);
        let mut answer = sender.send_request(request).await?;
        ensure!(answer.status() == 200, "the status is {}", answer.status());
        let mut events = Events::default();
        while let Some(frame) = answer.frame().await {
            if let Some(bytes) = frame?.data_ref() {
                let now_ns = monotonic_ns();
                events.take(bytes, |token| {
                    books.borrow_mut().token(first, before_ns, now_ns, token.sent_ns);
                    (first, before_ns) = (false, now_ns);
                });
            }
        }
        ensure!(!first, "a stream had no token");
        books.borrow_mut().streams += 1;
    }
    Ok(())
}
