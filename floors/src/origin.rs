//! Where requests go, from a URL.

use std::net::{SocketAddr, ToSocketAddrs};

use anyhow::{Context, Result, ensure};
use hyper::Uri;

/// A server's address, and what is asked for there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) address: SocketAddr,
    /// Host and port as in the URL.
    pub(crate) authority: String,
    /// With the query.
    pub(crate) path: String,
}

impl Origin {
    /// The origin and path of an `http` URL.
    ///
    /// # Errors
    /// It is no such URL, or its host has no address.
    pub(crate) fn of(url: &str) -> Result<Self> {
        let uri: Uri = url.parse().with_context(|| format!("{url} is no URL"))?;
        ensure!(uri.scheme_str() == Some("http"), "{url} does not begin with http://");
        let authority = uri.authority().with_context(|| format!("{url} has no host"))?;
        let address = (authority.host(), authority.port_u16().unwrap_or(80))
            .to_socket_addrs()
            .with_context(|| authority.to_string())?
            .next()
            .with_context(|| format!("{authority} has no address"))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        Ok(Self { address, authority: authority.to_string(), path: path.to_owned() })
    }

    /// A GET as it goes over the wire.
    pub(crate) fn get(&self) -> Vec<u8> {
        format!("GET {} HTTP/1.1\r\nhost: {}\r\n\r\n", self.path, self.authority).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart() {
        let origin = Origin::of("http://127.0.0.1:8080/slow?ms=5").unwrap();
        assert_eq!(origin.address, SocketAddr::from(([127, 0, 0, 1], 8080)));
        assert_eq!(origin.get(), b"GET /slow?ms=5 HTTP/1.1\r\nhost: 127.0.0.1:8080\r\n\r\n");
        assert_eq!(Origin::of("http://127.0.0.1:80").unwrap().path, "/");
    }

    #[test]
    fn what_is_no_http_url_is_refused() {
        for url in ["127.0.0.1:8080/small", "https://127.0.0.1/", "/small", ""] {
            assert!(Origin::of(url).is_err(), "{url}");
        }
    }
}
