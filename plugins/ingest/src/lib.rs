//! Uploads a document to a collection.
//!
//! Each arrival posts one text file as `multipart/form-data` to `/api/v1/rag/collections/{collection}/ingest`. The file
//! is made of the arrival's seed, so that no two are alike and two runs of one seed send the same. The answer is right
//! when it is a 202.
//!
//! ```toml
//! [[setup]]
//! plugin = "login"
//! config = { email = "${EMAIL}", password = "${PASSWORD}", collection = "manuals" }
//!
//! [[workload]]
//! name = "ingest"
//! share = 1
//! config = { size = 16384 }
//! ```

use engine_sdk::{Arrival, Context, Metric, Rng, Shared, Verdict, Workload, percent_encode};
use platform::{Access, Given, Session, texts};
use schemars::JsonSchema;
use serde::Deserialize;

/// The largest file. Making one must not take a call's time limit.
const MAX_SIZE: u32 = 4 << 20;

/// Where to upload to, and how much.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// The bearer token; that of `login` where absent.
    token: Option<String>,
    /// The organization's id; that of `login` where absent.
    organization: Option<String>,
    /// The collection's name; that of `login` where absent.
    collection: Option<String>,
    /// The file's size in bytes, 1 to 4194304.
    #[serde(default = "default_size")]
    #[schemars(range(min = 1, max = 4_194_304))]
    size: u32,
    /// The name of the form's field that holds the file: letters, digits, `_` and `-`.
    #[serde(default = "default_field")]
    field: String,
}

fn default_size() -> u32 {
    4096
}

fn default_field() -> String {
    "file".to_owned()
}

engine_sdk::metrics! {
    /// Bytes of the files that were accepted.
    counter INGESTED = "ingested" in "bytes";
}

/// An upload, ready to be made.
struct Ingest {
    path: String,
    access: Access,
    size: u32,
    field: String,
}

impl Workload for Ingest {
    type Config = Config;
    const NAME: &str = "ingest";
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &str = "Uploads a document to a collection";
    const METRICS: &[Metric] = METRICS;

    fn configure(config: Config, shared: Shared) -> Result<Self, String> {
        if !(1..=MAX_SIZE).contains(&config.size) {
            return Err(format!("config.size: {} is not within 1 to {MAX_SIZE}", config.size));
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if config.field.is_empty() || !config.field.bytes().all(plain) {
            return Err("config.field: must be letters, digits, `_` and `-`".to_owned());
        }
        let session: Session = shared.read()?;
        let access = Access::new(config.token, config.organization, &session)?;
        let from = Given::ByLoginWith("collection");
        let collection = from.take("collection", config.collection, session.collection.as_deref())?;
        let path = format!("/api/v1/rag/collections/{}/ingest", percent_encode(&collection));
        Ok(Self { path, access, size: config.size, field: config.field })
    }

    async fn iterate(&self, ctx: Context) -> Verdict {
        let (boundary, body) = self.form(ctx.arrival());
        let request = ctx.post(&self.path).name("ingest").fields(self.access.fields()).wanted_fields(&[]).count_body();
        let request = request.field("Content-Type", format!("multipart/form-data; boundary={boundary}"));
        request.body(body.into_bytes()).send().await?.expect_status(202)?;
        ctx.count(INGESTED, self.size.into());
        Ok(())
    }
}

impl Ingest {
    /// The boundary and the form (RFC 7578). A document has no hyphens, so that it cannot hold the boundary.
    fn form(&self, arrival: &Arrival) -> (String, String) {
        let seed = arrival.seed;
        let boundary = format!("----load-{seed:016x}");
        let file = document(seed, self.size as usize);
        let body = format!(
            "--{boundary}\r\n\
             Content-Disposition: form-data; name=\"{field}\"; filename=\"document-{seed:016x}.txt\"\r\n\
             Content-Type: text/plain\r\n\
             \r\n\
             {file}\r\n\
             --{boundary}--\r\n",
            field = self.field
        );
        (boundary, body)
    }
}

/// A text of this many bytes of ASCII that names its seed in the first line.
fn document(seed: u64, size: usize) -> String {
    let mut text = format!("Document {seed:016x}\n\n");
    let rest = size.saturating_sub(text.len());
    text.push_str(&texts::document(&mut Rng::from_seed(seed), rest));
    text.truncate(size);
    text
}

engine_sdk::plugin!(Ingest);

#[cfg(test)]
mod tests;
