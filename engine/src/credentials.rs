//! Which names say that a value is a credential.

/// Words in the name of a field, an option or a key whose value is not to be shown.
const WORDS: [&str; 8] = ["authorization", "cookie", "token", "secret", "key", "password", "credential", "signature"];

/// Whether a value of this name is a credential. Rather one too many than one too few: `sec-websocket-protocol` is one,
/// for platforms put tokens there.
pub fn is_credential(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == crate::pieces::SUBPROTOCOL || WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known_by_their_words() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "Set-Cookie",
            "X-Api-Key",
            "access_token",
            "Sec-WebSocket-Protocol",
        ] {
            assert!(is_credential(name), "{name}");
        }
        for name in ["accept", "content-type", "X-Organization-Id", "limit"] {
            assert!(!is_credential(name), "{name}");
        }
    }
}
