//! Where requests go: the parsed base URL, the address to dial in its place, and the other hosts a scenario allows.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use url::{Host, Url};

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain TCP.
    Http,
    /// TLS over TCP.
    Https,
}

impl Scheme {
    /// `http` or `https`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port where none is written.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// What is wrong with a URL, a host or an address of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No URL at all.
    #[error("`{0}` is no URL ({1}); write it like http://host:port")]
    NotUrl(String, String),
    /// Another scheme.
    #[error("scheme `{0}` is not supported; use http or https")]
    Scheme(String),
    /// Credentials within a URL.
    #[error("credentials do not belong in the URL; send an `authorization` field")]
    Credentials,
    /// A query or fragment, which cannot be a prefix of paths.
    #[error("a base URL has no query and no fragment; write them in the requests' paths")]
    QueryOrFragment,
    /// Not an address to dial.
    #[error(
        "`{0}` is no address to dial; write an IP address, with a port if it differs: 10.0.0.1, 10.0.0.1:8080, [::1]:8080"
    )]
    Address(String),
    /// Not a host of an allow-list.
    #[error("`{0}` is no host; write host or host:port")]
    Host(String),
}

/// Scheme, host and port: connections are pooled by it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OriginName {
    /// How its connections begin.
    pub scheme: Scheme,
    /// Lower case, internationalised names in their ASCII form, IPv6 addresses without brackets.
    pub host: String,
    /// 1 to 65535.
    pub port: u16,
}

impl OriginName {
    /// From a URL's scheme, host and port.
    pub(super) fn of_url(url: &Url) -> Result<Self, TargetError> {
        let scheme = match url.scheme() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            other => return Err(TargetError::Scheme(other.to_owned())),
        };
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => return Err(TargetError::NotUrl(url.to_string(), "it has no host".to_owned())),
        };
        Ok(Self { scheme, host, port: url.port().unwrap_or(scheme.default_port()) })
    }

    /// As a `host` field has it: IPv6 in brackets, the port only where it is not the scheme's own.
    pub fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.port == self.scheme.default_port() { host } else { format!("{host}:{}", self.port) }
    }
}

/// The base URL of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where to connect to.
    pub origin: OriginName,
    /// Stands before every path sent to the target; empty, or `/…` without a slash at its end.
    pub base_path: String,
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let url = Url::parse(text).map_err(|error| TargetError::NotUrl(text.to_owned(), error.to_string()))?;
        let origin = OriginName::of_url(&url)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Credentials);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(TargetError::QueryOrFragment);
        }
        Ok(Self { origin, base_path: url.path().trim_end_matches('/').to_owned() })
    }
}

/// The address to dial in place of the target's; `host` field and server name stay the URL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DialAddress {
    /// The address.
    pub ip: IpAddr,
    /// Its port; the URL's where absent.
    pub port: Option<u16>,
}

impl FromStr for DialAddress {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Self { ip: address.ip(), port: Some(address.port()) });
        }
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        match bare.parse() {
            Ok(ip) => Ok(Self { ip, port: None }),
            Err(_) => Err(TargetError::Address(text.to_owned())),
        }
    }
}

/// A host a scenario allows beside its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: Option<u16>,
}

impl AllowedHost {
    /// Whether that origin is meant: without a port, every port is.
    pub fn matches(&self, origin: &OriginName) -> bool {
        self.host == origin.host && self.port.is_none_or(|port| port == origin.port)
    }
}

impl FromStr for AllowedHost {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Self, TargetError> {
        let origin = parse_authority(Scheme::Https, text)?;
        // Asked of the text, since a URL forgets a port that is its scheme's own.
        let port_written = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        Ok(Self { host: origin.host, port: port_written.then_some(origin.port) })
    }
}

/// `host` or `host:port`.
pub(super) fn parse_authority(scheme: Scheme, text: &str) -> Result<OriginName, TargetError> {
    let wrong = || TargetError::Host(text.to_owned());
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_graphic() && !b"/?#@\\".contains(&b)) {
        return Err(wrong());
    }
    let url = Url::parse(&format!("{}://{text}/", scheme.as_str())).map_err(|_| wrong())?;
    OriginName::of_url(&url)
}
