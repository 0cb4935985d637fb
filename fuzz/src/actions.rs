//! Arbitrary actions of a plugin in arbitrary order, against a target that answers with arbitrary things, through a whole
//! worker on virtual time: every arrival ends in exactly one state, and nothing is left when the worker is done.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use arbitrary::{Arbitrary, Result, Unstructured};
use engine::worker::fuzzing::{Left, Load, run as run_worker};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use crate::guest::{Call, Script, pair, plugin};
use crate::network::{Memory, accept, on_virtual_time, request_head, settings, with_accept};

/// Calls of a script.
const CALLS: usize = 64;
/// Answers of a target; afterwards they begin anew.
const ANSWERS: usize = 16;
/// The longest pause of a target.
const LONGEST_PAUSE: u64 = 8_000;

/// Reasons of failed iterations that are listed in docs/terminology.md, beside those that begin with `http_`, `check: `
/// and `other: `.
const REASONS: [&str; 26] = [
    "timeout_connect",
    "timeout_first_byte",
    "timeout_idle",
    "timeout_total",
    "timeout_iteration",
    "refused",
    "reset",
    "dns",
    "tls",
    "stale_connection",
    "protocol",
    "upgrade_refused",
    "body_too_large",
    "decode",
    "truncated",
    "host_not_allowed",
    "plugin_trap",
    "plugin_deadline",
    "plugin_memory",
    "plugin_misuse",
    "plugin_stalled",
    "circuit_open",
    "retry_budget",
    "port_exhausted",
    "fd_exhausted",
    "other",
];

/// A text that a plugin hands over.
#[derive(Debug)]
enum Text<'a> {
    Path(u8),
    Name(u8),
    Any(&'a str),
    /// As long as that, up to a little above the limit of this target's plugins.
    Long(u16),
}

impl Text<'_> {
    fn get(&self) -> String {
        const PATHS: [&str; 6] = ["/", "/a?b=c", "", "no-slash", "/a b", "/\u{e9}"];
        const NAMES: [&str; 12] = [
            "GET",
            "POST",
            "HEAD",
            "CONNECT",
            "other",
            "nobody",
            "chat",
            "content-length",
            "connection",
            "upgrade",
            "sec-websocket-protocol",
            "x-y",
        ];
        match self {
            Self::Path(at) => PATHS[usize::from(*at) % PATHS.len()].to_owned(),
            Self::Name(at) => NAMES[usize::from(*at) % NAMES.len()].to_owned(),
            Self::Any(text) => (*text).to_owned(),
            Self::Long(length) => "x".repeat(usize::from(*length) % 5_000),
        }
    }
}

/// A request as a plugin asks for it.
#[derive(Debug)]
struct Ask<'a> {
    name: Option<Text<'a>>,
    method: Option<Text<'a>>,
    authority: Option<Text<'a>>,
    path: Option<Text<'a>>,
    fields: Option<(Text<'a>, Text<'a>)>,
    /// So many times.
    times: u8,
    body: Option<Text<'a>>,
    blob: Option<u8>,
    read: u8,
    whole: u32,
    wanted: Option<Text<'a>>,
    follow: Option<u8>,
    extension: Option<Text<'a>>,
    timeout: Option<u64>,
}

/// One thing that a plugin does.
#[derive(Debug)]
enum Step<'a> {
    Yield,
    /// A plain GET, read in one of the modes.
    Get(u8),
    Send(Box<Ask<'a>>),
    Socket,
    Open(Box<Ask<'a>>),
    Write {
        exchange: u8,
        text: Text<'a>,
        binary: bool,
    },
    Close {
        exchange: u8,
        code: u16,
        reason: Text<'a>,
    },
    Normally(u8),
    Cancel(u8),
    WaitShort(u8),
    Wait(u64),
    Clear(u8),
    Mark {
        metric: u8,
        since: u8,
        exchange: u8,
        weight: u32,
    },
    Count {
        metric: u8,
        n: u64,
    },
    Observe {
        metric: u8,
        value: f64,
    },
    Check {
        metric: u8,
        passed: bool,
    },
    Share(Text<'a>),
    Log {
        level: u8,
        text: Text<'a>,
    },
    Finish {
        verdict: u8,
        text: Text<'a>,
        exchange: u8,
    },
    Blob(Text<'a>),
    Trap,
    Again,
    /// A call with arguments that no compiler would make.
    Raw {
        call: u8,
        arguments: [u32; 4],
        more: u64,
    },
}

/// What a target does with a request.
#[derive(Debug)]
enum Answer<'a> {
    Canned(u8),
    Bytes(&'a [u8]),
    /// The same, after a right handshake.
    Frames(&'a [u8]),
    Silence,
    Hangup,
}

/// The load, the plugin and the target of one run.
#[derive(Debug)]
struct Input<'a> {
    /// Bits of the load: see `load`.
    load: u16,
    answers: Vec<(u16, Answer<'a>)>,
    steps: Vec<Step<'a>>,
}

impl<'a> Arbitrary<'a> for Text<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u.arbitrary::<u8>()? % 4 {
            0 => Self::Path(u.arbitrary()?),
            1 => Self::Name(u.arbitrary()?),
            2 => Self::Any(u.arbitrary()?),
            _ => Self::Long(u.arbitrary()?),
        })
    }
}

/// What a byte's bit says to read; nothing where it is not set.
fn maybe<'a, T: Arbitrary<'a>>(bits: u16, bit: u32, u: &mut Unstructured<'a>) -> Result<Option<T>> {
    if bits >> bit & 1 == 0 { Ok(None) } else { u.arbitrary().map(Some) }
}

impl<'a> Arbitrary<'a> for Ask<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let bits: u16 = u.arbitrary()?;
        Ok(Self {
            name: maybe(bits, 0, u)?,
            method: maybe(bits, 1, u)?,
            authority: maybe(bits, 2, u)?,
            path: maybe(bits, 3, u)?,
            fields: maybe(bits, 4, u)?,
            times: maybe(bits, 5, u)?.unwrap_or(1),
            body: maybe(bits, 6, u)?,
            blob: maybe(bits, 7, u)?,
            read: u.arbitrary()?,
            whole: maybe(bits, 8, u)?.unwrap_or(1_000),
            wanted: maybe(bits, 9, u)?,
            follow: maybe(bits, 10, u)?,
            extension: maybe(bits, 11, u)?,
            timeout: maybe(bits, 12, u)?,
        })
    }
}

impl<'a> Arbitrary<'a> for Step<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u.arbitrary::<u8>()? % 28 {
            0 | 23..=25 => Self::Yield,
            1 => Self::Get(u.arbitrary()?),
            2 => Self::Send(u.arbitrary()?),
            3 => Self::Socket,
            4 => Self::Open(u.arbitrary()?),
            5 => Self::Write { exchange: u.arbitrary()?, text: u.arbitrary()?, binary: u.arbitrary()? },
            6 => Self::Close { exchange: u.arbitrary()?, code: u.arbitrary()?, reason: u.arbitrary()? },
            7 => Self::Normally(u.arbitrary()?),
            8 => Self::Cancel(u.arbitrary()?),
            9 => Self::WaitShort(u.arbitrary()?),
            10 => Self::Wait(u.arbitrary()?),
            11 => Self::Clear(u.arbitrary()?),
            12 => Self::Mark {
                metric: u.arbitrary()?,
                since: u.arbitrary()?,
                exchange: u.arbitrary()?,
                weight: u.arbitrary()?,
            },
            13 => Self::Count { metric: u.arbitrary()?, n: u.arbitrary()? },
            14 => Self::Observe { metric: u.arbitrary()?, value: u.arbitrary()? },
            15 => Self::Check { metric: u.arbitrary()?, passed: u.arbitrary()? },
            16 => Self::Share(u.arbitrary()?),
            17 => Self::Log { level: u.arbitrary()?, text: u.arbitrary()? },
            18 => Self::Finish { verdict: u.arbitrary()?, text: u.arbitrary()?, exchange: u.arbitrary()? },
            19 => Self::Blob(u.arbitrary()?),
            20 | 21 => Self::Again,
            26 => Self::Get(1),
            // Rarely: what comes after it in the list is never reached.
            22 if u.arbitrary::<u8>()? < 16 => Self::Trap,
            27 if u.arbitrary::<u8>()? < 32 => {
                Self::Raw { call: u.arbitrary()?, arguments: u.arbitrary()?, more: u.arbitrary()? }
            }
            _ => Self::Finish { verdict: u.arbitrary()?, text: Text::Name(6), exchange: 0 },
        })
    }
}

impl<'a> Arbitrary<'a> for Answer<'a> {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(match u.arbitrary::<u8>()? % 8 {
            0..=3 => Self::Canned(u.arbitrary()?),
            4 => Self::Bytes(u.arbitrary()?),
            5 => Self::Frames(u.arbitrary()?),
            6 => Self::Silence,
            _ => Self::Hangup,
        })
    }
}

/// Takes an input apart: the load, a few answers, then calls to the end of it.
fn read(data: &[u8]) -> Result<Input<'_>> {
    let mut u = Unstructured::new(data);
    let load = u.arbitrary()?;
    let count = usize::from(u.arbitrary::<u8>()?) % ANSWERS;
    let answers = (0..count).map(|_| u.arbitrary()).collect::<Result<_>>()?;
    let mut steps = Vec::new();
    while !u.is_empty() && steps.len() < CALLS {
        steps.push(u.arbitrary()?);
    }
    Ok(Input { load, answers, steps })
}

/// One input, taken apart by `arbitrary`.
///
/// # Panics
/// On a finding.
pub fn run(data: &[u8]) {
    let Ok(input) = read(data) else { return };
    let left = offer(&input);
    check(&left, &input);
}

fn load(bits: u16) -> Load {
    let on = |bit: u32| bits >> bit & 1 != 0;
    Load {
        rate: if on(0) { 40 } else { 10 },
        length: Duration::from_millis(600),
        timeout: Duration::from_secs(if on(1) { 1 } else { 5 }),
        iteration_timeout: Duration::from_secs(if on(2) { 1 } else { 7 }),
        connections: if on(3) { 1 } else { 100 },
        in_flight: if on(4) { 2 } else { 1_000 },
        drain: Duration::from_secs(if on(5) { 1 } else { 9 }),
        isolated: on(6),
    }
}

fn offer(input: &Input<'_>) -> Left {
    let mut script = Script::new(CALLS);
    input.steps.iter().for_each(|step| write_step(&mut script, step));
    let answers: Rc<[(u64, Reply)]> =
        input.answers.iter().take(ANSWERS).map(|(pause, answer)| reply(*pause, answer)).collect();
    let next = Rc::new(Cell::new(0));
    let network = Memory::new(16 * 1024, move |stream| serve(stream, Rc::clone(&answers), Rc::clone(&next)));
    on_virtual_time(run_worker(&load(input.load), plugin(), &script.config(), settings(), network))
}

fn check(left: &Left, input: &Input<'_>) {
    let counts = &left.counts;
    let seen = format!("{left:?}\nof {input:?}");
    assert_eq!((left.slots, left.flights, left.exchanges, left.connections), (0, 0, 0, 0), "{seen}");
    assert_eq!(left.taken, left.planned, "{seen}");
    assert_eq!(left.taken, counts.missed() + counts.started, "{seen}");
    assert_eq!(counts.started, counts.ended(), "{seen}");
    assert!(counts.lost == 0 || left.failures.iter().any(|(reason, _)| reason.starts_with("plugin_")), "{seen}");
    assert_eq!(left.failures.iter().map(|(_, count)| count).sum::<u64>(), counts.failed, "{seen}");
    for (reason, _) in &left.failures {
        let free = ["http_", "check: ", "other: "].iter().any(|prefix| reason.starts_with(prefix));
        assert!(free || REASONS.contains(&reason.as_str()), "{reason:?} is no reason: {seen}");
        assert!(!reason.contains(|c: char| c.is_control()), "{reason:?}");
    }
}

/// What a connection does with one request.
enum Reply {
    Bytes(Vec<u8>),
    Silence,
    Hangup,
}

fn reply(pause: u16, answer: &Answer<'_>) -> (u64, Reply) {
    const SWITCHED: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n";
    const CANNED: [&[u8]; 14] = [
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: a\n\nevent: b\ndata: c\nid: 1\n\ndata: never",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\na\nb\n\r\n1\r\nc\r\n0\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 307 Temporary Redirect\r\nlocation: http://other/x\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 4\r\n\r\nbusy",
        b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ntoo few",
        b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain",
        b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
        b"\x81\x05hello\x88\x02\x03\xe8",
        b"\x89\x01p\x82\x01b\x01\x01a\x80\x01b",
        b"\x88\x00",
    ];
    let pause = u64::from(pause) % LONGEST_PAUSE;
    let reply = match answer {
        Answer::Canned(at) => match usize::from(*at) % CANNED.len() {
            at @ 11.. => Reply::Bytes([SWITCHED, CANNED[at]].concat()),
            at => Reply::Bytes(CANNED[at].to_vec()),
        },
        Answer::Bytes(bytes) => Reply::Bytes(bytes.to_vec()),
        Answer::Frames(bytes) => Reply::Bytes([SWITCHED, bytes].concat()),
        Answer::Silence => Reply::Silence,
        Answer::Hangup => Reply::Hangup,
    };
    (pause, reply)
}

/// Answers requests on one connection, each with the next answer of all.
async fn serve(mut stream: DuplexStream, answers: Rc<[(u64, Reply)]>, next: Rc<Cell<usize>>) {
    while let Some(head) = request_head(&mut stream).await {
        let upgrade = head.contains("Sec-WebSocket-Key");
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
        let mut body = vec![0; length.unwrap_or(0).min(1 << 20)];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let at = next.replace(next.get() + 1);
        let Some((pause, reply)) = answers.get(at % answers.len().max(1)) else { return };
        tokio::time::sleep(Duration::from_millis(*pause)).await;
        match reply {
            Reply::Bytes(bytes) => {
                if stream.write_all(&with_accept(bytes, &accept(&head))).await.is_err() {
                    return;
                }
            }
            Reply::Silence => {}
            Reply::Hangup => return,
        }
        if upgrade {
            let mut rest = [0; 1024];
            while stream.read(&mut rest).await.is_ok_and(|length| length > 0) {}
            return;
        }
    }
}

/// A simple GET that is read in one of the modes.
fn get(read: u8) -> Ask<'static> {
    Ask {
        name: None,
        method: Some(Text::Name(0)),
        authority: None,
        path: Some(Text::Path(0)),
        fields: None,
        times: 0,
        body: None,
        blob: None,
        read,
        whole: 1_000,
        wanted: None,
        follow: None,
        extension: None,
        timeout: None,
    }
}

fn option(script: &mut Script, text: Option<&Text<'_>>) -> [u64; 3] {
    let Some(text) = text else { return [0; 3] };
    let [at, length] = script.bytes(text.get().as_bytes());
    [1, at, length]
}

fn text(script: &mut Script, text: &Text<'_>) -> [u64; 2] {
    script.bytes(text.get().as_bytes())
}

fn fields(script: &mut Script, ask: &Ask<'_>) -> [u64; 2] {
    let Some((name, value)) = &ask.fields else { return [0; 2] };
    let (name, value) = (name.get(), value.get());
    script.fields(&vec![(name.as_str(), value.as_str()); usize::from(ask.times % 45)])
}

fn extensions(script: &mut Script, ask: &Ask<'_>) -> [u64; 2] {
    ask.extension.as_ref().map_or([0; 2], |name| script.fields(&[(&name.get(), "on")]))
}

/// Writes a request as it lies in memory. Where.
fn request(script: &mut Script, ask: &Ask<'_>) -> u64 {
    let number = |number: u64| number.to_le_bytes()[..4].to_vec();
    let optional = |parts: [u64; 3]| [number(parts[0]), pair([parts[1], parts[2]])].concat();
    let name = option(script, ask.name.as_ref());
    let method = text(script, ask.method.as_ref().unwrap_or(&Text::Name(0)));
    let authority = option(script, ask.authority.as_ref());
    let path = text(script, ask.path.as_ref().unwrap_or(&Text::Path(0)));
    let fields = fields(script, ask);
    let body = match (&ask.body, ask.blob) {
        (Some(body), _) => {
            let [at, length] = text(script, body);
            [1, at, length]
        }
        (None, Some(blob)) => [2, u64::from(blob), 0],
        (None, None) => [0; 3],
    };
    let wanted = match &ask.wanted {
        Some(name) => {
            let [at, length] = script.strings(&[&name.get()]);
            [1, at, length]
        }
        None => [0; 3],
    };
    let extensions = extensions(script, ask);
    let mut record = Vec::new();
    record.extend(optional(name));
    record.extend(pair(method));
    record.extend(optional(authority));
    record.extend(pair(path));
    record.extend(pair(fields));
    record.extend(optional(body));
    record.extend(number(u64::from(ask.read % 6)));
    record.extend(number(ask.whole.into()));
    record.extend(optional(wanted));
    record.extend(number(ask.follow.is_some().into()));
    record.extend(number(ask.follow.unwrap_or(0).into()));
    record.extend(pair(extensions));
    record.extend(u64::from(ask.timeout.is_some()).to_le_bytes());
    record.extend(ask.timeout.unwrap_or(0).to_le_bytes());
    script.put(&record)
}

fn open(script: &mut Script, ask: &Ask<'_>) {
    let mut arguments = Vec::new();
    arguments.extend(option(script, ask.name.as_ref()));
    arguments.extend(option(script, ask.authority.as_ref()));
    arguments.extend(text(script, ask.path.as_ref().unwrap_or(&Text::Path(0))));
    arguments.extend(fields(script, ask));
    arguments.extend(ask.wanted.as_ref().map_or([0; 2], |name| script.strings(&[&name.get()])));
    arguments.extend(extensions(script, ask));
    arguments.extend([u64::from(ask.timeout.is_some()), ask.timeout.unwrap_or(0)]);
    script.call(Call::Open, arguments);
}

/// An exchange or a timer: one of the first few for the most part.
fn few(id: u8) -> u64 {
    u64::from(if id < 240 { id % 4 } else { id })
}

/// A metric: the right one for the most part.
fn metric(id: u8, right: u64) -> u64 {
    if id < 200 { right } else { u64::from(id % 6) }
}

fn write_step(script: &mut Script, step: &Step<'_>) {
    match step {
        Step::Yield => script.call(Call::Yield, []),
        Step::Get(read) => {
            let at = request(script, &get(*read));
            script.call(Call::Send, [at]);
        }
        Step::Send(ask) => {
            let at = request(script, ask);
            script.call(Call::Send, [at]);
        }
        Step::Socket => open(script, &get(0)),
        Step::Open(ask) => open(script, ask),
        Step::Write { exchange, text, binary } => {
            let [at, length] = self::text(script, text);
            script.call(Call::Write, [few(*exchange), u64::from(*binary), at, length]);
        }
        Step::Close { exchange, code, reason } => {
            let [at, length] = text(script, reason);
            script.call(Call::Close, [few(*exchange), u64::from(*code), at, length]);
        }
        Step::Normally(exchange) => script.call(Call::Close, [few(*exchange), 1000]),
        Step::Cancel(exchange) => script.call(Call::Cancel, [few(*exchange)]),
        Step::WaitShort(tens) => script.call(Call::Wait, [u64::from(*tens) * 10_000_000]),
        Step::Wait(nanoseconds) => script.call(Call::Wait, [*nanoseconds]),
        Step::Clear(timer) => script.call(Call::Clear, [few(*timer)]),
        Step::Mark { metric: id, since, exchange, weight } => {
            let since = u64::from(since % 3);
            script.call(Call::Mark, [metric(*id, 0), since, few(*exchange), u64::from(*weight)]);
        }
        Step::Count { metric: id, n } => script.call(Call::Count, [metric(*id, 1), *n]),
        Step::Observe { metric: id, value } => script.call(Call::Observe, [metric(*id, 2), value.to_bits()]),
        Step::Check { metric: id, passed } => script.call(Call::Check, [metric(*id, 3), u64::from(*passed)]),
        Step::Share(json) => {
            let json = text(script, json);
            script.call(Call::Share, json);
        }
        Step::Log { level, text } => {
            let [at, length] = self::text(script, text);
            script.call(Call::Log, [u64::from(level % 4), at, length]);
        }
        Step::Finish { verdict, text, exchange } => match verdict % 4 {
            verdict @ 0..2 => script.call(Call::Finish, [u64::from(verdict)]),
            2 => {
                let [at, length] = self::text(script, text);
                script.call(Call::Finish, [2, at, length]);
            }
            _ => script.call(Call::Finish, [3, few(*exchange)]),
        },
        Step::Blob(bytes) => {
            let bytes = text(script, bytes);
            script.call(Call::Blob, bytes);
        }
        Step::Trap => script.call(Call::Trap, []),
        Step::Again => script.call(Call::Again, []),
        Step::Raw { call, arguments, more } => {
            const CALLS: [Call; 9] = [
                Call::Send,
                Call::Open,
                Call::Write,
                Call::Close,
                Call::Mark,
                Call::Share,
                Call::Log,
                Call::Finish,
                Call::Blob,
            ];
            let call = CALLS[usize::from(*call) % CALLS.len()];
            let arguments = arguments.map(u64::from);
            script.call(call, arguments.into_iter().cycle().take(15).chain([*more]));
        }
    }
}
