//! The opening handshake of a WebSocket (RFC 6455, section 4): the fields that ask for it, and the check of the answer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, header};
use sha1_smol::Sha1;

use super::failure::{Failure, Reason};
use super::request::is_token;
use crate::pieces::SUBPROTOCOL;

/// What a server mixes into the key, so that only one that speaks WebSocket can answer (section 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The key of one handshake: 16 random bytes in base64.
pub(super) struct Key(String);

impl Key {
    /// A fresh one.
    pub(super) fn new() -> Self {
        // Not a secret: it keeps caches on the way from answering (section 10.3).
        Self(STANDARD.encode(fastrand::u128(..).to_be_bytes()))
    }

    /// Writes the fields that ask for the upgrade.
    pub(super) fn encode(&self, head: &mut Vec<u8>) {
        head.extend_from_slice(b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
        head.extend_from_slice(b"Sec-WebSocket-Key: ");
        head.extend_from_slice(self.0.as_bytes());
        head.extend_from_slice(b"\r\n");
    }

    /// Checks the fields of an answer with status 101. The subprotocol it selects; empty where it selects none.
    ///
    /// # Errors
    /// A `protocol` failure that names what is wrong.
    pub(super) fn check(&self, answer: &HeaderMap, request: &[(String, String)]) -> Result<String, Failure> {
        let wrong = |detail: String| Failure::new(Reason::Protocol, format!("the upgrade's answer {detail}"));
        if !has_word(answer, header::UPGRADE, "websocket") {
            return Err(wrong("has no `upgrade: websocket`".into()));
        }
        if !has_word(answer, header::CONNECTION, "upgrade") {
            return Err(wrong("has no `connection: upgrade`".into()));
        }
        let accept = answer.get(header::SEC_WEBSOCKET_ACCEPT).map(|value| value.as_bytes().trim_ascii());
        if accept != Some(self.accept().as_bytes()) {
            return Err(wrong("has a wrong `sec-websocket-accept`".into()));
        }
        if let Some(extension) = answer.get(header::SEC_WEBSOCKET_EXTENSIONS) {
            return Err(wrong(format!("selects an extension nobody offered: {extension:?}")));
        }
        let Some(selected) = answer.get(header::SEC_WEBSOCKET_PROTOCOL) else { return Ok(String::new()) };
        let offered = request
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(SUBPROTOCOL))
            .flat_map(|(_, value)| value.split(','))
            .any(|offered| offered.trim().as_bytes() == selected.as_bytes());
        if offered {
            // What was offered is a token, hence ASCII.
            Ok(String::from_utf8_lossy(selected.as_bytes()).into_owned())
        } else {
            // Not named: a peer may echo what it should not, such as a token offered in another form.
            Err(wrong("selects a subprotocol nobody offered".into()))
        }
    }

    fn accept(&self) -> String {
        let mut sha1 = Sha1::new();
        sha1.update(self.0.as_bytes());
        sha1.update(GUID);
        STANDARD.encode(sha1.digest().bytes())
    }
}

/// Whether one of the words of a field is this one.
fn has_word(fields: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    let mut words = fields.get_all(name).iter().filter_map(|value| value.to_str().ok()).flat_map(|v| v.split(','));
    words.any(|found| found.trim().eq_ignore_ascii_case(word))
}

/// Looks whether a field may stand in a handshake.
///
/// # Errors
/// In words, why not.
pub(super) fn check_field(name: &str, value: &str) -> Result<(), String> {
    if name.eq_ignore_ascii_case("connection") {
        return Err("field `connection`: the engine sets it in a handshake".to_owned());
    }
    if !name.get(..14).is_some_and(|start| start.eq_ignore_ascii_case("sec-websocket-")) {
        return Ok(());
    }
    if !name.eq_ignore_ascii_case(SUBPROTOCOL) {
        return Err(format!("field `{name}`: the engine sets it in a handshake"));
    }
    // The value may hold a credential, so it is not named.
    match value.split(',').position(|offered| !is_token(offered.trim())) {
        None => Ok(()),
        Some(at) => Err(format!("subprotocol {} is no token", at + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(Key("dGhlIHNhbXBsZSBub25jZQ==".into()).accept(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn two_keys_differ() {
        assert_ne!(Key::new().0, Key::new().0);
        assert_eq!(Key::new().0.len(), 24);
    }

    #[test]
    fn an_answer_is_right_or_its_fault_is_named() {
        let key = Key::new();
        let check = |change: &dyn Fn(&mut HeaderMap)| {
            let mut answer = HeaderMap::new();
            answer.insert(header::UPGRADE, "WebSocket".parse().unwrap());
            answer.insert(header::CONNECTION, "keep-alive, Upgrade".parse().unwrap());
            answer.insert(header::SEC_WEBSOCKET_ACCEPT, key.accept().parse().unwrap());
            change(&mut answer);
            let offered = [("Sec-WebSocket-Protocol".to_owned(), "access_token.x, chat".to_owned())];
            key.check(&answer, &offered).map_err(|failure| failure.to_string())
        };
        let wrong = |detail: &str| Err(format!("protocol: the upgrade's answer {detail}"));
        assert_eq!(check(&|_| ()), Ok(String::new()));
        assert_eq!(check(&|a| drop(a.insert(SUBPROTOCOL, "chat".parse().unwrap()))), Ok("chat".to_owned()));
        assert_eq!(
            check(&|a| drop(a.insert(SUBPROTOCOL, "Chat".parse().unwrap()))),
            wrong("selects a subprotocol nobody offered")
        );
        assert_eq!(check(&|a| drop(a.remove(header::UPGRADE))), wrong("has no `upgrade: websocket`"));
        assert_eq!(check(&|a| drop(a.remove(header::CONNECTION))), wrong("has no `connection: upgrade`"));
        assert_eq!(
            check(&|a| drop(a.insert(header::SEC_WEBSOCKET_ACCEPT, "x".parse().unwrap()))),
            wrong("has a wrong `sec-websocket-accept`")
        );
        assert_eq!(
            check(&|a| drop(a.insert(header::SEC_WEBSOCKET_EXTENSIONS, "permessage-deflate".parse().unwrap()))),
            wrong("selects an extension nobody offered: \"permessage-deflate\"")
        );
    }

    #[test]
    fn fields_of_the_handshake_itself_are_the_engines() {
        for name in ["Connection", "sec-websocket-key", "Sec-WebSocket-Version", "sec-websocket-extensions"] {
            assert_eq!(
                check_field(name, "x"),
                Err(format!(
                    "field `{}`: the engine sets it in a handshake",
                    if name == "Connection" { "connection" } else { name }
                ))
            );
        }
        assert_eq!(check_field("origin", "http://x"), Ok(()));
        assert_eq!(check_field("sec-websocket-protocol", "access_token.abc, chat"), Ok(()));
        assert_eq!(check_field("sec-websocket-protocol", "chat, a b"), Err("subprotocol 2 is no token".to_owned()));
    }
}
