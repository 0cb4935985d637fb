//! `[target]`: what is loaded.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use url::{Host, Url};

use super::code;
use super::fault::Fault;
use super::reader::{Field, Reader};
use super::source::Span;
use super::tree::Text;

/// What is loaded.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Target {
    /// Where it is, or how it is started.
    #[serde(flatten)]
    pub endpoint: Endpoint,
    /// PEM file of certificates to trust beside the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The client's certificate, for targets that ask for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientCertificate>,
    /// The name TLS asks for and checks, where it is not the host of the URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// The address to connect to, where it is not that of the URL's host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve: Option<SocketAddr>,
    /// Where it stands.
    #[serde(skip)]
    pub span: Span,
}

/// Files of a client certificate.
#[derive(Clone, Debug, Serialize)]
pub struct ClientCertificate {
    /// PEM file of the certificate and its chain.
    pub certificate: PathBuf,
    /// PEM file of its key.
    pub key: PathBuf,
}

/// Where the target is.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// Something that runs already.
    Url(BaseUrl),
    /// A stub, to be started as a child process.
    Stub(StubCommand),
}

/// The command line of a stub.
///
/// Serialized, and printed for debugging, it shows what is written in the scenario, with `${NAME}` in the place of what
/// came from the environment.
#[derive(Clone)]
pub struct StubCommand {
    words: Vec<String>,
    shown: String,
}

impl StubCommand {
    /// Its words, at least one.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// What may be shown.
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

impl fmt::Debug for StubCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.shown, formatter)
    }
}

impl Serialize for StubCommand {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown)
    }
}

/// An `http` or `https` URL without credentials, query or fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    /// Whether it is `https`.
    pub tls: bool,
    /// Name or address of the host; of IPv6 without brackets.
    pub host: Host<String>,
    /// The port, the scheme's own where the URL names none.
    pub port: u16,
    /// What stands before every request's path: empty, or begins with `/` and does not end with one.
    pub path: String,
}

impl BaseUrl {
    /// `host` or `host:port` as the `Host` field has it, without the scheme's own port.
    pub fn authority(&self) -> String {
        if self.port == self.default_port() { self.host.to_string() } else { format!("{}:{}", self.host, self.port) }
    }

    fn default_port(&self) -> u16 {
        if self.tls { 443 } else { 80 }
    }

    /// Reads a URL.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub(super) fn parse(text: &str) -> Result<Self, (String, &'static str)> {
        const EXAMPLE: &str = "for example: \"https://api.example.com\" or \"http://127.0.0.1:8080/base\"";
        let refuse = |what: &str, hint| Err((what.to_owned(), hint));
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(error) => return Err((format!("this is not a URL: {error}"), EXAMPLE)),
        };
        let tls = match url.scheme() {
            "http" => false,
            "https" => true,
            _ => return refuse("the URL must begin with `http://` or `https://`", EXAMPLE),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refuse(
                "the URL must not hold credentials",
                "credentials go into a plugin's `config`, as \"${NAME}\", where they are masked",
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return refuse(
                "the URL must not have a query or fragment",
                "what follows `?` or `#` belongs in each request",
            );
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return refuse("the URL has no host", EXAMPLE);
        };
        if port == 0 {
            return refuse("port 0 cannot be connected to", EXAMPLE);
        }
        Ok(Self { tls, host: host.to_owned(), port, path: url.path().trim_end_matches('/').to_owned() })
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}{}", if self.tls { "https" } else { "http" }, self.authority(), self.path)
    }
}

impl Serialize for BaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the target; `None` after noting what is wrong with it.
pub(super) fn read(reader: Reader<'_>, folder: &Path) -> Option<Target> {
    let url = reader.text("url");
    let stub = reader.text("stub");
    let ca = reader.text("ca").and_then(|path| file(&reader, path, folder));
    let certificate = reader.text("client_certificate").and_then(|path| file(&reader, path, folder));
    let key = reader.text("client_key").and_then(|path| file(&reader, path, folder));
    let server_name = reader.text("server_name").map(|name| name.value.value.clone());
    let resolve = reader.text("resolve").and_then(|text| address(&reader, text));
    let span = reader.place();
    // `url = "${TARGET_URL:-}"` beside a stub: the stub, unless the environment names a target.
    let from_environment = url.as_ref().is_some_and(|url| url.value.raw.contains("${"));
    let (url, stub) = match (url, stub) {
        (Some(url), Some(stub)) if url.value.value.is_empty() => (None, Some(stub)),
        (Some(url), Some(_)) if from_environment => (Some(url), None),
        as_written => as_written,
    };
    let endpoint = match (url, stub) {
        (Some(_), Some(_)) => {
            let fault = Fault::new(code::CONFLICT, "a target has either a `url` or a `stub`, not both");
            let fault = fault.at(reader.place_of("stub"), "a stub");
            reader.note(fault.also(reader.place_of("url"), "and a URL"));
            None
        }
        (Some(url), None) => base_url(&reader, url).map(Endpoint::Url),
        (None, Some(stub)) => stub_command(&reader, stub).map(Endpoint::Stub),
        (None, None) => {
            // One of the wrong type has its own fault.
            if !reader.has("url") && !reader.has("stub") {
                let fault =
                    Fault::new(code::CONFLICT, "a target needs either a `url` or a `stub`").at(span, "has neither");
                reader.note(fault.hint("for example: url = \"https://api.example.com\", or stub = \"small\""));
            }
            None
        }
    };
    if let (Some(one), Some(other)) = match (reader.has("client_certificate"), reader.has("client_key")) {
        (true, false) => (Some("client_certificate"), Some("client_key")),
        (false, true) => (Some("client_key"), Some("client_certificate")),
        _ => (None, None),
    } {
        let fault = Fault::new(code::TARGET_CERTIFICATE, format!("`{one}` needs `{other}` beside it"));
        reader.note(fault.at(reader.place_of(one), "alone"));
    }
    if let Some(endpoint) = &endpoint {
        warn_of_no_effect(&reader, endpoint);
    }
    reader.finish();
    let client = certificate.zip(key).map(|(certificate, key)| ClientCertificate { certificate, key });
    Some(Target { endpoint: endpoint?, ca, client, server_name, resolve, span })
}

/// Notes settings that the endpoint has no use for: the scenario may be meant for another one.
fn warn_of_no_effect(reader: &Reader<'_>, endpoint: &Endpoint) {
    let (keys, target): (&[_], _) = match endpoint {
        Endpoint::Url(url) if url.tls => return,
        Endpoint::Url(_) => (&["ca", "client_certificate", "client_key", "server_name"], "an `http` target"),
        Endpoint::Stub(_) => (&["ca", "client_certificate", "client_key", "server_name", "resolve"], "a stub"),
    };
    for key in keys.iter().filter(|key| reader.has(key)) {
        let fault = Fault::warning(code::TARGET_NO_EFFECT, format!("`{key}` has no effect on {target}"));
        reader.note(fault.at(reader.place_of(key), "not used"));
    }
}

fn base_url(reader: &Reader<'_>, text: Field<&Text>) -> Option<BaseUrl> {
    let (message, hint) = match BaseUrl::parse(&text.value.value) {
        Ok(url) => return Some(url),
        Err(fault) => fault,
    };
    reader.note(Fault::new(code::TARGET_BAD_URL, message).at(text.span, "this URL").hint(hint));
    None
}

fn stub_command(reader: &Reader<'_>, text: Field<&Text>) -> Option<StubCommand> {
    let words = shlex::split(&text.value.value);
    let message = match words {
        Some(words) if !words.is_empty() => return Some(StubCommand { words, shown: text.value.raw.clone() }),
        Some(_) => "the stub's command line is empty",
        None => "the stub's command line has an open quote or ends in `\\`",
    };
    let fault = Fault::new(code::TARGET_BAD_STUB, message).at(text.span, "cannot be split into words");
    reader.note(fault.hint("for example: stub = \"small\""));
    None
}

fn address(reader: &Reader<'_>, text: Field<&Text>) -> Option<SocketAddr> {
    let parsed = text.value.value.parse();
    if parsed.is_err() {
        let fault = Fault::new(code::TARGET_BAD_ADDRESS, "`resolve` must be an IP address with a port");
        reader.note(fault.at(text.span, "not one").hint("for example: \"127.0.0.1:8443\" or \"[::1]:8443\""));
    }
    parsed.ok()
}

fn file(reader: &Reader<'_>, text: Field<&Text>, folder: &Path) -> Option<PathBuf> {
    let path = folder.join(&text.value.value);
    if path.is_file() {
        return Some(path);
    }
    let fault =
        Fault::new(code::FILE_MISSING, format!("there is no file `{}`", text.value.raw)).at(text.span, "not found");
    reader.note(fault.hint("paths count from the folder of the scenario"));
    None
}
