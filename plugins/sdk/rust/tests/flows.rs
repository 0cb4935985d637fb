//! Flows of every kind, played against scripted answers.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use engine_sdk::testing::{Outcome, Payload, Run, Script, StreamScript, configure_shared};
use engine_sdk::{
    Blob, Context, Either, Flow, Level, Message, NoConfig, Shared, Since, Stop, Verdict, Workload, ensure, join,
    join_all, race,
};
use serde_json::json;

engine_sdk::metrics! {
    /// Until the first token.
    mark FIRST = "first_token";
    /// Between tokens.
    mark GAP = "gap";
    /// Tokens received.
    counter TOKENS = "tokens" in "tokens";
    /// Tokens in one read.
    observation BATCH = "batch" in "tokens";
    /// The stream named its end.
    check DONE = "done";
}

/// Begins a flow.
type Begin = Rc<dyn Fn(Context) -> Flow>;

thread_local! {
    /// The flow under test: each test sets its own, so that one workload serves them all.
    static FLOW: RefCell<Option<Begin>> = const { RefCell::new(None) };
}

struct Any {
    body: Blob,
    greeting: String,
}

impl Workload for Any {
    type Config = NoConfig;
    const NAME: &str = "any";
    const VERSION: &str = "0.1.0";
    const SUMMARY: &str = "Whatever the test says";
    const METRICS: &[engine_sdk::Metric] = METRICS;

    fn configure(_: NoConfig, shared: Shared) -> Result<Self, String> {
        Ok(Self { body: Blob::register(b"blob"), greeting: shared.text("greeting").unwrap_or("none").to_owned() })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let flow = FLOW.with_borrow(Clone::clone).expect("the test sets its flow");
        flow(ctx).await
    }

    fn setup(self: Rc<Self>, ctx: Context) -> Option<Flow> {
        Some(Box::pin(async move {
            let reply = ctx.post("/login").blob(self.body).send().await?;
            let mut object = serde_json::Map::new();
            object.insert("greeting".to_owned(), json!(format!("{} {}", self.greeting, reply.text())));
            ctx.share(&object)
        }))
    }
}

/// Plays a flow against a script.
fn play<F: Future<Output = Verdict> + 'static>(script: &Script, flow: impl Fn(Context) -> F + 'static) -> Run {
    FLOW.set(Some(Rc::new(move |ctx| Box::pin(flow(ctx)))));
    script.run::<Any>("{}")
}

fn events() -> StreamScript {
    Script::new().on("GET", "/s").stream(200)
}

#[test]
fn every_part_of_a_request_arrives_as_written() {
    let run = play(&Script::new().on("PUT", "/a").reply(200, ""), |ctx| async move {
        let kept = [("X-1", "a"), ("x-1", "b")];
        ctx.put("/a?q=1")
            .name("series")
            .fields(&kept)
            .field("Y", format!("{}", 1))
            .json(&json!({ "n": 1 }))?
            .authority("other:1")
            .extension("future", "on")
            .follow_redirects(2)
            .timeout(Duration::from_millis(1_500))
            .wanted_fields(&["etag"])
            .max_body(7)
            .send()
            .await?;
        Ok(())
    });
    let sent = &run.requests()[0];
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("PUT", "/a?q=1"));
    assert_eq!(sent.name.as_deref(), Some("series"));
    let fields: Vec<_> = sent.fields.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(fields, [("X-1", "a"), ("x-1", "b"), ("Y", "1"), ("content-type", "application/json")]);
    assert_eq!(sent.body, Payload::Bytes(br#"{"n":1}"#.to_vec()));
    assert_eq!(sent.authority.as_deref(), Some("other:1"));
    assert_eq!(sent.extensions, [("future".to_owned(), "on".to_owned())]);
    assert_eq!(sent.follow_redirects, Some(2));
    assert_eq!(sent.timeout, Some(Duration::from_millis(1_500)));
    assert_eq!(sent.wanted_fields.as_deref(), Some(&["etag".to_owned()][..]));
    assert_eq!(sent.max_body(), Some(7));
}

#[test]
fn more_fields_than_fit_the_stack_arrive_too() {
    let run = play(&Script::new().on("GET", "/").reply(200, ""), |ctx| async move {
        let many: Vec<(String, String)> = (0..40).map(|i| (format!("x-{i}"), i.to_string())).collect();
        ctx.get("/").fields(&many).send().await?;
        Ok(())
    });
    assert_eq!(run.requests()[0].fields.len(), 40);
    assert_eq!(run.requests()[0].field("X-39"), Some("39"));
}

#[test]
fn a_reply_shows_its_parts() {
    let script = Script::new().on("GET", "/").field("ETag", "x").reply_json(201, &json!({ "n": 3 }));
    let run = play(&script, |ctx| async move {
        let reply = ctx.get("/").send().await?;
        ensure(reply.status() == 201 && reply.field("etag") == Some("x"), "head")?;
        ensure(reply.text() == r#"{"n":3}"# && reply.size() == 7 && reply.body().len() == 7, "body")?;
        ensure(reply.json::<serde_json::Value>()?["n"] == 3, "json")?;
        reply.expect_status(201)?.expect_status(200..300)?.expect_status(200..=201)?.expect_status([200, 201])?;
        ensure(reply.expect_status(200).is_err(), "statuses")
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
}

#[test]
fn broken_json_fails_with_a_constant_text_and_logs_the_rest() {
    let run = play(&Script::new().on("GET", "/").reply(200, "{"), |ctx| async move {
        ctx.get("/").send().await?.json::<serde_json::Value>()?;
        Ok(())
    });
    assert_eq!(run.reason(), Some("check: unexpected JSON"));
    assert_eq!(run.logs()[0].0, Level::Debug);
    assert!(run.logs()[0].1.starts_with("unexpected JSON: EOF while parsing"), "{:?}", run.logs());
}

#[test]
fn a_caught_failure_lets_the_flow_go_on() {
    let script = Script::new().on("GET", "/").once().fail("reset").on("GET", "/").reply(200, "");
    let run = play(&script, |ctx| async move {
        let failed = ctx.get("/").send().await.err().ok_or(Stop::failed("no failure"))?;
        ensure(failed.reason() == "reset" && failed.exchange() == 0, "another reason")?;
        ctx.get("/").send().await?.expect_status(200)?;
        Ok(())
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
}

#[test]
fn a_plan_may_end_early_without_failure() {
    let run = play(&Script::new(), |_| async { Err(Stop::Cancelled) });
    assert_eq!(run.outcome(), &Outcome::Cancelled);
    assert_eq!(run.took(), Duration::ZERO);
}

#[test]
fn requests_sent_before_the_first_await_are_open_together() {
    let script = Script::new()
        .on("GET", "/slow")
        .after(Duration::from_millis(30))
        .reply(200, "slow")
        .on("GET", "/fast")
        .after(Duration::from_millis(10))
        .reply(200, "fast");
    let run = play(&script, |ctx| async move {
        let slow = ctx.get("/slow").send();
        let fast = ctx.get("/fast").send();
        ensure(slow.await?.text() == "slow" && fast.await?.text() == "fast", "mixed up")
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.took(), Duration::from_millis(30));
}

#[test]
fn joined_flows_run_side_by_side() {
    let script = Script::new().on("GET", "/").after(Duration::from_millis(5)).reply(200, "");
    let run = play(&script, |ctx| async move {
        let twice = async |wait: u64| -> Verdict {
            ctx.get("/").send().await?;
            ctx.wait(Duration::from_millis(wait)).await;
            ctx.get("/").send().await?;
            Ok(())
        };
        let (a, b) = join(twice(10), twice(20)).await;
        a.and(b)?;
        let all = join_all((1..=3).map(twice)).await;
        ensure(all.len() == 3 && all.iter().all(Verdict::is_ok), "not all")
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.requests().len(), 10);
    assert_eq!(run.took(), Duration::from_millis(30 + 13));
}

#[test]
fn the_loser_of_a_race_is_cancelled() {
    let script = Script::new().on("GET", "/").after(Duration::from_mins(1)).reply(200, "");
    let run = play(&script, |ctx| async move {
        let raced = race(ctx.get("/").send(), ctx.wait(Duration::from_secs(1))).await;
        ensure(matches!(raced, Either::Second(())), "answered")?;
        ctx.wait(Duration::from_secs(1)).await;
        Ok(())
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.cancelled(), [0]);
    assert_eq!(run.took(), Duration::from_secs(2));
}

#[test]
fn nothing_is_cancelled_by_the_end_of_the_flow_itself() {
    let script = Script::new().on("GET", "/s").stream(503).end();
    let run = play(&script, |ctx| async move {
        let other = ctx.get("/s").events();
        let stream = ctx.get("/s").events().await?;
        stream.expect_status(200)?;
        drop(other);
        Ok(())
    });
    assert_eq!(run.reason(), Some("http_503"));
    assert!(run.cancelled().is_empty(), "`finish` cancels what is open");
}

#[test]
fn a_flow_that_waits_for_nothing_is_stalled() {
    let run = play(&Script::new(), |_| async { std::future::pending().await });
    assert_eq!(run.reason(), Some("plugin_stalled"));
}

#[test]
fn a_future_that_wakes_itself_is_polled_again() {
    let run = play(&Script::new(), |_| async {
        let left = Cell::new(3);
        poll_fn(|cx| {
            if left.replace(left.get() - 1) == 0 {
                return Poll::Ready(());
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        Ok(())
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
}

#[test]
fn events_come_in_order_and_marks_say_from_where_they_count() {
    let gap = Duration::from_millis(20);
    let script = events().events(["a"]).pause(gap).events(["b", "c"]).pause(gap).event("end", "").end();
    let run = play(&script, |ctx| async move {
        let mut stream = ctx.get("/s").events().await?;
        stream.expect_status(200)?;
        while let Some(batch) = stream.next_batch().await? {
            let tokens = batch.iter().filter(|event| event.event == "message").count();
            if ctx.arrival().index == 0 && batch[0].data == "a" {
                ctx.mark(FIRST, Since::Asked(stream.exchange()));
            }
            ctx.lap(GAP, u32::try_from(tokens).unwrap_or(0));
            ctx.count(TOKENS, tokens as u64);
            ctx.observe(BATCH, tokens as f64);
            if tokens == 0 {
                ctx.check(DONE, batch[0].event == "end");
            }
        }
        Ok(())
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    let marks: Vec<_> = run.marks().iter().map(|mark| (mark.name, mark.weight, mark.at.as_millis())).collect();
    assert_eq!(marks, [("first_token", 1, 1), ("gap", 1, 1), ("gap", 2, 21), ("gap", 0, 41)]);
    assert_eq!(run.counted("tokens"), 3);
    assert_eq!(run.observed("batch"), [1.0, 2.0, 0.0]);
    assert_eq!(run.checked("done"), [true]);
}

#[test]
fn a_stream_that_breaks_off_fails_after_what_came_before() {
    let run = play(&events().events(["a", "b"]).fail("truncated"), |ctx| async move {
        let mut stream = ctx.get("/s").events().await?;
        while let Some(event) = stream.next().await? {
            ctx.log(Level::Info, &event.data);
        }
        Ok(())
    });
    assert_eq!(run.reason(), Some("truncated"));
    assert_eq!(run.logs(), [(Level::Info, "a"), (Level::Info, "b")]);
}

#[test]
fn a_stream_left_early_is_cancelled_and_no_failure() {
    let script = events().events(["a"]).pause(Duration::from_secs(9)).events(["b"]).end();
    let run = play(&script, |ctx| async move {
        let mut stream = ctx.get("/s").events().await?;
        stream.next().await?;
        drop(stream);
        ctx.wait(Duration::from_millis(5)).await;
        Ok(())
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.cancelled(), [0]);
    assert_eq!(run.took(), Duration::from_millis(6));
}

#[test]
fn lines_chunks_and_heads_are_read_as_asked() {
    let script = Script::new()
        .on("GET", "/lines")
        .stream(200)
        .lines(["1", "2"])
        .end()
        .on("GET", "/chunks")
        .stream(200)
        .chunk("ab")
        .pause(Duration::from_millis(1))
        .chunk("c")
        .end()
        .on("GET", "/head")
        .field("x", "y")
        .reply(200, "never handed over");
    let run = play(&script, |ctx| async move {
        let mut lines = ctx.get("/lines").lines().await?;
        ensure(lines.next().await?.as_deref() == Some("1"), "line")?;
        lines.finish().await?;
        let mut chunks = ctx.get("/chunks").chunks().await?;
        let mut all = Vec::new();
        while let Some(chunk) = chunks.next().await? {
            all.extend(chunk);
        }
        ensure(all == b"abc", "chunks")?;
        let head = ctx.get("/head").head().await?;
        ensure(head.field("X") == Some("y") && head.status() == 200, "head")?;
        head.finish().await?;
        Ok(())
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
}

#[test]
fn a_socket_speaks_and_closes() {
    let script =
        Script::new().on("WS", "/ws").open("chat").expect_text("hello").text("hi").binary([1, 2]).close(1000, "bye");
    let run = play(&script, |ctx| async move {
        let mut socket = ctx.socket("/ws").field("a", "b").subprotocol("chat").open().await?;
        ensure(socket.subprotocol() == "chat", "subprotocol")?;
        socket.send_text("hello");
        ensure(matches!(socket.next().await?, Some(Message::Text(text)) if text == "hi"), "text")?;
        ensure(matches!(socket.next().await?, Some(Message::Binary(bytes)) if bytes == [1, 2]), "binary")?;
        ensure(socket.next().await?.is_none(), "open")?;
        ensure(socket.close_info().is_some_and(|info| info.code == 1000 && info.reason == "bye"), "close info")
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.requests()[0].subprotocols, ["chat"]);
    assert_eq!(run.written(0).len(), 1);
}

#[test]
fn messages_of_one_read_come_as_one_batch() {
    let gap = Duration::from_millis(5);
    let script = Script::new().on("WS", "/ws").open("").text("a").pause(gap).texts(["b", "c"]).close(1000, "");
    let run = play(&script, |ctx| async move {
        let mut socket = ctx.socket("/ws").open().await?;
        while let Some(batch) = socket.next_batch().await? {
            ctx.observe(BATCH, batch.len() as f64);
        }
        ensure(socket.close_info().is_some_and(|info| info.code == 1000), "close info")
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.observed("batch"), [1.0, 2.0]);
}

#[test]
fn a_plugin_may_close_a_socket_itself() {
    let script = Script::new().on("WS", "/ws").open("").until_closed();
    let run = play(&script, |ctx| async move {
        let socket = ctx.socket("/ws").open().await?;
        socket.send_binary(b"x");
        let info = socket.close(4000, "enough").await?;
        ensure(info.is_some_and(|info| info.code == 4000), "close info")
    });
    assert_eq!(run.outcome(), &Outcome::Ok);
    assert_eq!(run.closed(0).map(|info| info.reason.as_str()), Some("enough"));
}

#[test]
fn a_refused_or_broken_socket_fails_with_its_reason() {
    let open = |ctx: Context| async move {
        let mut socket = ctx.socket("/ws").open().await?;
        while socket.next().await?.is_some() {}
        Ok(())
    };
    let refused = Script::new().on("WS", "/ws").fail("upgrade_refused");
    assert_eq!(play(&refused, open).reason(), Some("upgrade_refused"));
    let broken = Script::new().on("WS", "/ws").open("").text("x").fail("reset");
    assert_eq!(play(&broken, open).reason(), Some("reset"));
}

#[test]
fn setup_shares_and_configure_receives() {
    let script = Script::new().on("POST", "/login").reply(200, "token");
    let first = script.setup::<Any>("{}").expect("a setup flow");
    assert_eq!(first.requests()[0].body, Payload::Blob(b"blob".to_vec()));
    assert_eq!(first.shared(), json!({ "greeting": "none token" }));
    let second = script.clone().shared(&first.shared()).setup::<Any>("{}").expect("a setup flow");
    assert_eq!(second.shared(), json!({ "greeting": "none token token" }));
    assert!(script.teardown::<Any>("{}").is_none());
}

#[test]
fn what_is_shared_is_read_in_its_shape() {
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Login {
        token: Option<String>,
        place: Place,
    }
    #[derive(serde::Serialize, serde::Deserialize)]
    struct Place {
        row: u32,
    }
    struct Reader;
    impl Workload for Reader {
        type Config = NoConfig;
        const NAME: &str = "reader";
        const VERSION: &str = "0.1.0";
        const SUMMARY: &str = "Reads what was shared";
        fn configure(_: NoConfig, shared: Shared) -> Result<Self, String> {
            let login: Login = shared.read()?;
            if login.place.row == 3 && login.token.is_none() { Ok(Self) } else { Err("another value".to_owned()) }
        }
        async fn iterate(&self, ctx: Context) -> Verdict {
            ctx.share(&Login { token: None, place: Place { row: 3 } })?;
            ctx.share(&[1, 2])
        }
    }
    let given = json!({ "place": { "row": 3 } });
    assert_eq!(configure_shared::<Reader>("{}", &given), Ok(()));
    let wrong = configure_shared::<Reader>("{}", &json!({ "place": { "row": "x" } }));
    assert_eq!(wrong, Err("shared.place.row: invalid type: string \"x\", expected u32".to_owned()));
    let run = Script::new().shared(&given).run::<Reader>("{}");
    assert_eq!(run.shared(), json!({ "token": null, "place": { "row": 3 } }));
    assert_eq!(run.reason(), Some("check: what is shared is no JSON object"));
}

#[test]
fn a_form_is_percent_encoded() {
    let run = play(&Script::new().on("POST", "/f").reply(200, ""), |ctx| async move {
        ctx.post("/f").form(&[("username", "ann+b@x.org"), ("password", "a b&c=%é~*")]).send().await?;
        Ok(())
    });
    let sent = &run.requests()[0];
    assert_eq!(sent.field("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(sent.body.bytes(), b"username=ann%2Bb%40x.org&password=a%20b%26c%3D%25%C3%A9~%2A");
}

#[test]
fn the_arrival_and_its_randomness_reach_the_flow() {
    let script = Script::new().arrival(|arrival| {
        (arrival.client, arrival.row) = (7, Some(r#"{ "user": "ann" }"#.to_owned()));
    });
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = Rc::clone(&seen);
    FLOW.set(Some(Rc::new(move |ctx| {
        let log = Rc::clone(&log);
        Box::pin(async move {
            let row: serde_json::Value = ctx.row()?;
            log.borrow_mut().push((ctx.arrival().index, ctx.rng().next_u64(), ctx.rng().next_u64()));
            ensure(row["user"] == "ann" && ctx.arrival().client == 7 && ctx.arrival().phase == "test", "arrival")
        })
    })));
    let runs = script.run_many::<Any>("{}", 2);
    assert!(runs.iter().all(|run| run.outcome() == &Outcome::Ok));
    let seen = seen.borrow();
    assert_eq!((seen[0].0, seen[1].0), (0, 1));
    assert_eq!(seen[0].1, seen[0].2, "each generator starts the iteration's sequence again");
    assert_ne!(seen[0].1, seen[1].1);
    let without = play(&Script::new(), |ctx| async move { ctx.row::<serde_json::Value>().map(drop) });
    assert_eq!(without.reason(), Some("check: no data row"));
}

#[test]
#[should_panic(expected = "unexpected request\n  GET /b\nscripted are, in this order:\n  GET /a (used up)\n  POST /b")]
fn an_unexpected_request_shows_what_is_scripted() {
    let script = Script::new().on("GET", "/a").once().reply(200, "").on("POST", "/b").reply(200, "");
    play(&script, |ctx| async move {
        ctx.get("/a").send().await?;
        ctx.get("/b").send().await?;
        Ok(())
    });
}

#[test]
#[should_panic(expected = "the workload refuses its configuration: config.x: unknown field `x`")]
fn a_refused_configuration_shows_its_text() {
    Script::new().run::<Any>(r#"{ "x": 1 }"#);
}

#[test]
fn metrics_are_listed_in_the_order_declared() {
    let names: Vec<_> = METRICS.iter().map(|metric| (metric.name, metric.unit, metric.summary.trim())).collect();
    assert_eq!(names[0], ("first_token", "", "Until the first token."));
    assert_eq!(names[2], ("tokens", "tokens", "Tokens received."));
    assert_eq!(names.len(), 5);
}
