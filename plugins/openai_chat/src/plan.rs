//! The checked configuration, and the flow of an iteration.

use std::borrow::Cow;
use std::time::Duration;

use engine_sdk::{
    Blob, Context, Metric, RequestBuilder, ServerSentEvent, Shared, Since, Stop, Stream, Verdict, Workload, race,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::answer::{Answer, count_tokens};
use crate::config::Config;
use crate::wire::Chunk;
use crate::{FINISH_REASON, HEAD, METRICS};

/// How long the end of an answer is waited for that is complete already, so that its connection can be used again.
const REST: Duration = Duration::from_secs(1);

/// Keys of the body that the configuration has keys of its own for.
const OWN: [&str; 4] = ["model", "messages", "stream", "max_tokens"];

/// What is asked where no prompt is given.
const PROMPT: &str = "Explain in one paragraph how a tide comes about.";

/// A request for a completion, ready to be sent.
pub(crate) struct OpenAiChat {
    path: String,
    fields: Vec<(String, String)>,
    model: String,
    system: Option<String>,
    prompts: Vec<Prompt>,
    vary: bool,
    stream: bool,
    max_tokens: Option<u32>,
    /// `stream_options` of the plugin's own, and whatever else the body has.
    extra: Map<String, Value>,
}

/// What to say, and the body that says it where it is the same each time.
struct Prompt {
    text: String,
    body: Option<Blob>,
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: &'a [Line<'a>],
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(flatten)]
    extra: &'a Map<String, Value>,
}

#[derive(Serialize)]
struct Line<'a> {
    role: &'static str,
    content: &'a str,
}

impl Workload for OpenAiChat {
    type Config = Config;
    const NAME: &str = "openai_chat";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Chat completions of any OpenAI-compatible server, streaming or not";
    const METRICS: &[Metric] = METRICS;

    fn configure(config: Config, _: Shared) -> Result<Self, String> {
        if config.model.is_empty() {
            return Err("config.model: must not be empty".to_owned());
        }
        if config.max_tokens == Some(0) {
            return Err("config.max_tokens: from 1".to_owned());
        }
        if let Some(key) = OWN.iter().find(|key| config.extra.contains_key(**key)) {
            return Err(format!("config.extra.{key}: this has a key of its own in `config`, or is made by the plugin"));
        }
        let texts = match (config.prompt, config.prompts) {
            (None, None) => vec![PROMPT.to_owned()],
            (Some(prompt), None) => vec![prompt],
            (None, Some(prompts)) if prompts.is_empty() => return Err("config.prompts: at least one".to_owned()),
            (None, Some(prompts)) => prompts,
            (Some(_), Some(_)) => return Err("config: give `prompt` or `prompts`, not both".to_owned()),
        };
        let mut extra = config.extra;
        if config.stream && config.include_usage && !extra.contains_key("stream_options") {
            extra.insert("stream_options".to_owned(), serde_json::json!({ "include_usage": true }));
        }
        let mut plan = Self {
            path: path(&config.base_path)?,
            fields: fields(config.stream, config.api_key.as_deref(), config.fields)?,
            model: config.model,
            system: config.system,
            prompts: Vec::new(),
            vary: config.vary,
            stream: config.stream,
            max_tokens: config.max_tokens,
            extra,
        };
        plan.prompts = texts
            .into_iter()
            .map(|text| {
                let body = if plan.vary { None } else { Some(Blob::register(&plan.body(&text)?)) };
                Ok(Prompt { text, body })
            })
            .collect::<Result<_, String>>()?;
        Ok(plan)
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        if self.stream {
            let stream = self.request(&ctx)?.wanted_fields(&["content-type"]).events().await?;
            self.read(&ctx, stream).await
        } else {
            let reply = self.request(&ctx)?.wanted_fields(&[]).send().await?;
            reply.expect_status(200)?;
            whole(&ctx, reply.body())
        }
    }
}

impl OpenAiChat {
    fn request<'a>(&'a self, ctx: &'a Context) -> Result<RequestBuilder<'a>, Stop> {
        let turn = usize::try_from(ctx.arrival().index % self.prompts.len() as u64).unwrap_or(0);
        let prompt = &self.prompts[turn];
        let request = ctx.post(&self.path).name("chat").fields(&self.fields);
        if let Some(body) = prompt.body {
            return Ok(request.blob(body));
        }
        let text = format!("[{:016x}] {}", ctx.arrival().seed, prompt.text);
        Ok(request.body(self.body(&text).map_err(|_| Stop::failed("body has no JSON form"))?))
    }

    fn body(&self, prompt: &str) -> Result<Vec<u8>, String> {
        let system = self.system.iter().map(|text| Line { role: "system", content: text });
        let messages: Vec<Line> = system.chain([Line { role: "user", content: prompt }]).collect();
        let (model, stream, max_tokens, extra) = (&self.model, self.stream, self.max_tokens, &self.extra);
        let body = Body { model, messages: &messages, stream, max_tokens, extra };
        serde_json::to_vec(&body).map_err(|error| format!("config: the body has no JSON form: {error}"))
    }

    async fn read(&self, ctx: &Context, mut stream: Stream<ServerSentEvent>) -> Verdict {
        ctx.mark(HEAD, Since::Due);
        if let Err(failed) = stream.expect_status(200).map(drop) {
            rest(ctx, stream).await;
            return Err(failed);
        }
        if stream.field("content-type").is_some_and(|kind| kind.trim_start().starts_with("application/json")) {
            // Not streamed, whatever was asked for: an answer all the same, without the time of a first token.
            let body = stream.into_bytes(LARGEST).await?;
            return whole(ctx, &body);
        }
        let mut answer = Answer::default();
        while let Some(events) = stream.next_batch().await? {
            if answer.take(ctx, &events)? {
                rest(ctx, stream).await;
                break;
            }
        }
        answer.judge(ctx)
    }
}

/// The most bytes of an answer in JSON where a stream was asked for.
const LARGEST: usize = 4 << 20;

/// Reads what still comes, for a while: the answer is judged already.
async fn rest(ctx: &Context, stream: Stream<ServerSentEvent>) {
    race(stream.finish(), ctx.wait(REST)).await;
}

/// The verdict on an answer that is no stream.
fn whole(ctx: &Context, body: &[u8]) -> Verdict {
    if body.trim_ascii().is_empty() {
        return Err(Stop::failed("empty answer"));
    }
    let answer: Chunk = serde_json::from_slice(body).map_err(|_| Stop::failed("unexpected JSON"))?;
    if let Some(error) = answer.error() {
        return Err(error);
    }
    if !answer.output().any() && !answer.finished() {
        return Err(Stop::failed("empty answer"));
    }
    count_tokens(ctx, answer.usage.unwrap_or_default());
    ctx.check(FINISH_REASON, answer.finished());
    Ok(())
}

fn path(base: &str) -> Result<String, String> {
    let base = base.trim_end_matches('/');
    let plain = base.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'?' && byte != b'#');
    if !plain || !(base.is_empty() || base.starts_with('/')) {
        return Err("config.base_path: must begin with / and be a path alone, such as \"/v1\"".to_owned());
    }
    Ok(format!("{base}/chat/completions"))
}

fn fields(
    stream: bool,
    api_key: Option<&str>,
    more: impl IntoIterator<Item = (String, String)>,
) -> Result<Vec<(String, String)>, String> {
    let accept = if stream { "text/event-stream" } else { "application/json" };
    let field = |name: &str, value: Cow<str>| (name.to_owned(), value.into_owned());
    let mut fields = vec![field("Content-Type", "application/json".into()), field("Accept", accept.into())];
    if let Some(key) = api_key.filter(|key| !key.is_empty()) {
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("config.api_key: must be printable ASCII without spaces".to_owned());
        }
        fields.push(field("Authorization", format!("Bearer {key}").into()));
    }
    for (name, value) in more {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            return Err(format!("config.fields: {name:?} is no field name"));
        }
        if !value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') {
            return Err(format!("config.fields.{name}: must be one line of printable ASCII"));
        }
        fields.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        fields.push((name, value));
    }
    Ok(fields)
}
