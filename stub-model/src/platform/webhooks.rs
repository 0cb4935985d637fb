//! Webhook triggers: who fires one signs the body, and a body that came before is a duplicate.

use std::collections::{HashSet, VecDeque};

use hmac::{Hmac, KeyInit, Mac};
use hyper::header::HeaderMap;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::draw::id;
use crate::web::Reply;

use super::refusal;

/// The field with the signature of the raw body: `sha256=` and the hex digits of its HMAC-SHA256.
pub const SIGNATURE_FIELD: &str = "x-signature-256";

/// Where triggers are fired from.
const SOURCES: [&str; 2] = ["github", "stripe"];

/// Keeps the ids of triggers apart from all others.
const SPACE: u64 = 4_000;

/// Bodies remembered; the oldest are forgotten first.
const REMEMBERED: usize = 65_536;

/// The triggers of one seed.
#[derive(Debug)]
pub(super) struct Triggers {
    /// Always there, since a key may have any length; without it nothing would be right.
    secret: Option<Hmac<Sha256>>,
    ids: Vec<(&'static str, String)>,
}

impl Triggers {
    /// Triggers whose bodies are signed with this secret.
    pub(super) fn new(seed: u64, secret: &str) -> Self {
        Self {
            secret: Hmac::new_from_slice(secret.as_bytes()).ok(),
            ids: SOURCES.into_iter().zip(0..).map(|(source, k)| (source, id(seed, SPACE, k))).collect(),
        }
    }

    /// The list of them.
    pub(super) fn list(&self) -> Value {
        let items: Vec<Value> = self
            .ids
            .iter()
            .map(|(source, id)| json!({"source": source, "id": id, "name": format!("Trigger of {source}")}))
            .collect();
        json!({"items": items, "total": items.len()})
    }

    /// Whether a trigger may be fired with this body: 404 for an unknown one, 401 without a right signature.
    pub(super) fn check(&self, source: &str, id: &str, fields: &HeaderMap, body: &[u8]) -> Result<(), Reply> {
        if !self.ids.iter().any(|(known, known_id)| *known == source && known_id == id) {
            return Err(refusal::not_found("Trigger not found"));
        }
        let field = fields.get(SIGNATURE_FIELD).ok_or_else(|| refusal::unauthorised("Missing signature"))?;
        let digest = field.to_str().ok().and_then(|field| unhex(field.strip_prefix("sha256=")?));
        let right = self.secret.clone().zip(digest);
        let right = right.is_some_and(|(secret, digest)| secret.chain_update(body).verify_slice(&digest).is_ok());
        if right { Ok(()) } else { Err(refusal::unauthorised("Invalid signature")) }
    }
}

/// The bytes of hex digits.
fn unhex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
}

/// The bodies that came.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    known: HashSet<[u8; 32]>,
    order: VecDeque<[u8; 32]>,
}

impl Bodies {
    /// Remembers a body of a trigger; false where it was known.
    pub(super) fn is_new(&mut self, trigger: &str, body: &[u8]) -> bool {
        let digest: [u8; 32] =
            Sha256::new().chain_update(trigger).chain_update([0]).chain_update(body).finalize().into();
        if !self.known.insert(digest) {
            return false;
        }
        self.order.push_back(digest);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_rfc_4231() {
        let triggers = Triggers::new(1, "Jefe");
        let id = triggers.ids[0].1.clone();
        let right = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let check = |source: &str, id: &str, field: Option<&str>| {
            let mut fields = HeaderMap::new();
            if let Some(field) = field {
                fields.insert(SIGNATURE_FIELD, field.parse().unwrap());
            }
            let checked = triggers.check(source, id, &fields, b"what do ya want for nothing?");
            checked.map_err(|reply| reply.status.as_u16())
        };
        assert_eq!(check("github", &id, Some(right)), Ok(()));
        assert_eq!(check("github", &id, Some(&right.to_uppercase().replace("SHA", "sha"))), Ok(()));
        for wrong in [None, Some(""), Some("sha256="), Some("sha256=5b"), Some("sha256=zz"), Some(&right[7..])] {
            assert_eq!(check("github", &id, wrong), Err(401), "{wrong:?}");
        }
        assert_eq!(check("github", &id, Some(&right.replace('5', "6"))), Err(401));
        assert_eq!(check("stripe", &id, Some(right)), Err(404));
        assert_eq!(check("github", "other", Some(right)), Err(404));
    }

    #[test]
    fn a_body_is_new_once_per_trigger_until_it_is_forgotten() {
        let mut bodies = Bodies::default();
        assert!(bodies.is_new("a", b"body") && bodies.is_new("b", b"body") && bodies.is_new("a", b"other"));
        assert!(!bodies.is_new("a", b"body"));
        for number in 0..REMEMBERED {
            bodies.is_new("c", &number.to_le_bytes());
        }
        assert_eq!((bodies.known.len(), bodies.order.len()), (REMEMBERED, REMEMBERED));
        assert!(bodies.is_new("a", b"body"));
    }
}
