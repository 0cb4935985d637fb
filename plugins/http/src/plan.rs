//! The checked configuration, and the flow of an iteration.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engine_sdk::{Blob, Context, Shared, Statuses, Verdict, Workload, ensure};

use crate::config::{Config, Read, Status};
use crate::template::Template;

/// The most bytes of a body that the interface allows.
const MAX_BODY: u32 = 64 << 20;

/// One request, ready to be sent.
pub(crate) struct Http {
    method: String,
    paths: Vec<Path>,
    fields: Vec<(String, Template)>,
    body: Body,
    expect: Expect,
    read: Read,
    max_body: Option<u32>,
    contains: Option<String>,
    follow_redirects: Option<u32>,
}

/// A path, and the series it belongs to.
struct Path {
    template: Template,
    name: Option<String>,
}

/// What is sent.
enum Body {
    Empty,
    /// The same every time: handed to the engine once.
    Constant(Blob),
    Template(Template),
}

/// Ranges of statuses that are right, both ends included.
struct Expect(Vec<(u16, u16)>);

impl Statuses for &Expect {
    fn accept(&self, status: u16) -> bool {
        self.0.iter().any(|&(from, to)| (from..=to).contains(&status))
    }
}

impl Workload for Http {
    type Config = Config;
    const NAME: &str = "http";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Any HTTP request, wholly described by its configuration";

    fn configure(config: Config, _: Shared) -> Result<Self, String> {
        let method = method(&config.method)?;
        let paths = paths(&config)?;
        let read = read(&config)?;
        if config.follow_redirects.is_some_and(|most| most > 20) {
            return Err("config.follow_redirects: at most 20".to_owned());
        }
        let expect = expect(&config.expect)?;
        let mut fields = fields(config.fields.into_pairs())?;
        let body = match (config.body, config.body_json, config.body_base64) {
            (None, None, None) => Body::Empty,
            (Some(text), None, None) => template("body", &text)?.into(),
            (None, Some(json), None) => {
                if !fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                    fields.push(("content-type".to_owned(), template("fields", "application/json")?));
                }
                template("body_json", &json.to_string())?.into()
            }
            (None, None, Some(text)) => base64(&text)?,
            _ => return Err("config: give only one of `body`, `body_json` and `body_base64`".to_owned()),
        };
        Ok(Self {
            method,
            paths,
            fields,
            body,
            expect,
            read,
            max_body: config.max_body,
            contains: config.expect_body_contains,
            follow_redirects: config.follow_redirects,
        })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let arrival = ctx.arrival();
        let turn = usize::try_from(arrival.index % self.paths.len() as u64).unwrap_or(0);
        let path = &self.paths[turn];
        let mut request = ctx.request(&self.method, path.template.render(arrival)).wanted_fields(&[]);
        if let Some(name) = &path.name {
            request = request.name(name);
        }
        for (name, value) in &self.fields {
            request = request.field(name, value.render(arrival));
        }
        request = match &self.body {
            Body::Empty => request,
            Body::Constant(blob) => request.blob(*blob),
            Body::Template(text) => request.body(text.render(arrival).into_owned().into_bytes()),
        };
        if let Some(most) = self.max_body {
            request = request.max_body(most);
        }
        if self.read == Read::Count {
            request = request.count_body();
        }
        if let Some(most) = self.follow_redirects {
            request = request.follow_redirects(most);
        }
        let reply = request.send().await?;
        reply.expect_status(&self.expect)?;
        if let Some(text) = &self.contains {
            ensure(contains(reply.body(), text.as_bytes()), "body without the expected text")?;
        }
        Ok(())
    }
}

impl From<Template> for Body {
    fn from(template: Template) -> Self {
        match template.constant() {
            Some(text) => Self::Constant(Blob::register(text.as_bytes())),
            None => Self::Template(template),
        }
    }
}

/// A template, or why it is none, with its key.
fn template(key: &str, text: &str) -> Result<Template, String> {
    Template::parse(text).map_err(|error| format!("config.{key}: {error}"))
}

fn base64(text: &str) -> Result<Body, String> {
    let bytes = STANDARD.decode(text).map_err(|error| format!("config.body_base64: {error}"))?;
    Ok(Body::Constant(Blob::register(&bytes)))
}

fn method(method: &str) -> Result<String, String> {
    if !is_token(method) {
        return Err(format!("config.method: {method:?} is no method name"));
    }
    if method == "CONNECT" {
        return Err("config.method: CONNECT opens a tunnel, which is no request".to_owned());
    }
    Ok(method.to_owned())
}

fn paths(config: &Config) -> Result<Vec<Path>, String> {
    if config.name.as_ref().is_some_and(|name| name.is_empty() || name.len() > 128) {
        return Err("config.name: 1 to 128 bytes".to_owned());
    }
    match (&config.path, &config.paths) {
        (Some(_), Some(_)) => Err("config: give `path` or `paths`, not both".to_owned()),
        (None, None) => Err("config: `path` is missing; give it, or `paths` for several".to_owned()),
        (Some(text), None) => Ok(vec![path("path", text, config)?]),
        (None, Some(texts)) if texts.is_empty() => Err("config.paths: at least one".to_owned()),
        (None, Some(texts)) => {
            texts.iter().enumerate().map(|(i, text)| path(&format!("paths[{i}]"), text, config)).collect()
        }
    }
}

fn path(key: &str, text: &str, config: &Config) -> Result<Path, String> {
    if !text.starts_with('/') {
        return Err(format!("config.{key}: {text:?} does not begin with /"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "config.{key}: {text:?} must be printable ASCII without spaces; write others as %20 and so on"
        ));
    }
    if text.contains('#') {
        return Err(format!("config.{key}: {text:?} has a fragment (#), which is never sent"));
    }
    let template = template(key, text)?;
    // A path that differs from arrival to arrival would make a series each.
    let name = config.name.clone().or_else(|| {
        let plain = text.split('?').next().unwrap_or(text);
        let varies = Template::parse(plain).is_ok_and(|plain| plain.constant().is_none());
        varies.then(|| format!("{} {plain}", config.method))
    });
    Ok(Path { template, name })
}

fn fields(pairs: Vec<(String, String)>) -> Result<Vec<(String, Template)>, String> {
    pairs
        .into_iter()
        .map(|(name, value)| {
            if !is_token(&name) {
                return Err(format!("config.fields: {name:?} is no field name"));
            }
            if value.contains(['\r', '\n', '\0']) || value.chars().any(|c| u32::from(c) > 0xFF) {
                return Err(format!(
                    "config.fields: the value of {name:?} must be one line of bytes (U+0000 to U+00FF)"
                ));
            }
            let value = template("fields", &value)?;
            Ok((name, value))
        })
        .collect()
}

fn read(config: &Config) -> Result<Read, String> {
    if config.max_body.is_some_and(|most| !(1..=MAX_BODY).contains(&most)) {
        return Err(format!("config.max_body: 1 to {MAX_BODY} bytes"));
    }
    let looks = config.expect_body_contains.is_some() || config.max_body.is_some();
    match config.read {
        Some(Read::Count) if looks => {
            Err("config.read: with `expect_body_contains` or `max_body` it must be \"whole\"".to_owned())
        }
        Some(read) => Ok(read),
        None if looks => Ok(Read::Whole),
        None => Ok(Read::Count),
    }
}

fn expect(statuses: &[Status]) -> Result<Expect, String> {
    if statuses.is_empty() {
        return Err("config.expect: at least one status".to_owned());
    }
    let ranges = statuses.iter().enumerate().map(|(i, status)| {
        let range = match status {
            Status::Code(code) => Some((*code, *code)),
            Status::Pattern(text) => pattern(text),
        };
        range.filter(|&(from, to)| (100..=999).contains(&from) && from <= to && to <= 999).ok_or_else(|| {
            let shown = match status {
                Status::Code(code) => code.to_string(),
                Status::Pattern(text) => format!("{text:?}"),
            };
            format!("config.expect[{i}]: {shown} is no status; write 204, \"2xx\" or \"200-299\"")
        })
    });
    ranges.collect::<Result<_, _>>().map(Expect)
}

/// `2xx`, `200-299` or `204`.
fn pattern(text: &str) -> Option<(u16, u16)> {
    if let Some(class) = text.strip_suffix("xx") {
        let class: u16 = class.parse().ok().filter(|class| (1..=9).contains(class))?;
        return Some((class * 100, class * 100 + 99));
    }
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
}

/// RFC 9110, 5.6.2.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn contains(body: &[u8], text: &[u8]) -> bool {
    text.is_empty() || body.windows(text.len()).any(|window| window == text)
}
