//! From an HTTP request to a WebSocket.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::{Response, StatusCode};
use sha1_smol::Sha1;

use crate::body::{Body, Source};
use crate::directory::Directory;
use crate::query::Query;
use crate::web::Reply;

use super::{access, refusal};

/// The subprotocol that is spoken.
pub const PROTOCOL: &str = "chat";

/// What stands before the token in the subprotocol that carries it, since browsers cannot send other fields.
pub const TOKEN_PREFIX: &str = "access_token.";

/// What RFC 6455 hashes together with the client's key.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A handshake that is right.
#[derive(Debug)]
pub(super) struct Handshake {
    /// The position of the caller's organisation.
    pub(super) organisation: usize,
    accept: HeaderValue,
}

impl Handshake {
    /// Checks one: 426 for a request that is none, 401 without the token, 422 without the subprotocol or an organisation,
    /// 403 for an organisation that is not the caller's.
    pub(super) fn check(directory: &Directory, fields: &HeaderMap, query: Option<&str>) -> Result<Self, Reply> {
        let no_upgrade = || refusal::detail(StatusCode::UPGRADE_REQUIRED, "This path is a WebSocket of version 13");
        if !has(fields, &CONNECTION, "upgrade") || !has(fields, &UPGRADE, "websocket") {
            return Err(no_upgrade());
        }
        if fields.get(SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
            return Err(no_upgrade());
        }
        let key = fields.get(SEC_WEBSOCKET_KEY).filter(|key| STANDARD.decode(key).is_ok_and(|key| key.len() == 16));
        let key = key.ok_or_else(|| refusal::missing(&["header", "sec-websocket-key"]))?;
        let token = tokens(fields, &SEC_WEBSOCKET_PROTOCOL).find_map(|one| one.strip_prefix(TOKEN_PREFIX));
        if !token.is_some_and(|token| directory.is_token(token)) {
            return Err(refusal::unauthorised("Could not validate credentials"));
        }
        if !tokens(fields, &SEC_WEBSOCKET_PROTOCOL).any(|one| one == PROTOCOL) {
            return Err(refusal::unprocessable("subprotocol", &["header"], "The subprotocol 'chat' is required"));
        }
        let query = Query::parse(query);
        let organisation = query.text("organization_id").ok().flatten();
        let organisation = organisation.ok_or_else(|| refusal::missing(&["query", "organization_id"]))?;
        let organisation = access::member(directory, organisation.as_bytes())?;
        let mut hash = Sha1::from(key);
        hash.update(GUID);
        let accept = HeaderValue::try_from(STANDARD.encode(hash.digest().bytes())).map_err(|_| no_upgrade())?;
        Ok(Self { organisation, accept })
    }

    /// The answer that makes the connection a WebSocket.
    pub(super) fn answer(self) -> Response<Body> {
        let mut response = Response::new(Body::plain(Source::empty(), None, None));
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let fields = response.headers_mut();
        fields.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        fields.insert(UPGRADE, HeaderValue::from_static("websocket"));
        fields.insert(SEC_WEBSOCKET_ACCEPT, self.accept);
        fields.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        response
    }
}

/// The members of a field that is a list, over all its lines.
fn tokens<'a>(fields: &'a HeaderMap, name: &'a HeaderName) -> impl Iterator<Item = &'a str> {
    fields
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

fn has(fields: &HeaderMap, name: &HeaderName, wanted: &str) -> bool {
    tokens(fields, name).any(|token| token.eq_ignore_ascii_case(wanted))
}
