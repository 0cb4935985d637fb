//! Who and what there is on the stubs that have users: organisations and their lists, decided by a seed. The small
//! target and the platform have the same ones, so that what was set up for one works on the other.

use std::cell::RefCell;
use std::collections::HashMap;

use bytes::Bytes;
use hyper::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use crate::draw::{id, random};

/// The only user who can log in, unless set otherwise.
pub const USERNAME: &str = "stub";

/// That user's password, unless set otherwise.
pub const PASSWORD: &str = "stub-password";

/// The bearer token, unless set otherwise.
pub const DEFAULT_TOKEN: &str = "stub-token";

/// The field that names the organisation of a request.
pub const ORGANISATION_FIELD: &str = "x-organization-id";

/// Items of a list unless the query says otherwise.
pub const DEFAULT_LIMIT: u64 = 20;

/// Most items of a list.
pub const MAX_LIMIT: u64 = 100;

/// Organisations there are.
const ORGANISATIONS: u64 = 3;

/// A list within an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    /// The agents that can be run.
    Agents,
    /// The runs there have been.
    Runs,
    /// The conversations there have been.
    Conversations,
}

impl List {
    /// Keeps the ids of one list apart from those of the others; organisations themselves are at 0.
    fn space(self) -> u64 {
        1_000
            * match self {
                Self::Agents => 1,
                Self::Runs => 2,
                Self::Conversations => 3,
            }
    }
}

/// Organisations and lists of one seed.
#[derive(Debug)]
pub struct Directory {
    seed: u64,
    token: String,
    draft: Option<u64>,
    ids: Vec<String>,
    organisations: Bytes,
    /// Answers made so far: a list, the position of its organisation, and a limit. At most 900.
    made: RefCell<HashMap<(List, usize, u64), Bytes>>,
}

impl Directory {
    /// What this seed decides, for those who have this token. The agent at position `draft` of each organisation is not
    /// published.
    pub fn new(seed: u64, token: &str, draft: Option<u64>) -> Self {
        let ids: Vec<String> = (0..ORGANISATIONS).map(|k| id(seed, 0, k)).collect();
        let items: Vec<Value> = ids
            .iter()
            .zip(1..)
            .map(|(id, number)| json!({"id": id, "name": format!("Organisation {number}")}))
            .collect();
        Self {
            seed,
            token: token.to_owned(),
            draft,
            ids,
            organisations: json!({"items": items, "total": ORGANISATIONS}).to_string().into(),
            made: RefCell::default(),
        }
    }

    /// The answer to a log-in: the token, as JSON.
    pub fn login(&self) -> Bytes {
        json!({"access_token": self.token, "token_type": "bearer"}).to_string().into()
    }

    /// True for the token that logging in gives.
    pub fn is_token(&self, token: &str) -> bool {
        token == self.token
    }

    /// Whether a request carries the token in its field `authorization`; none where it has no such field.
    pub fn bears_token(&self, fields: &HeaderMap) -> Option<bool> {
        let value = fields.get(AUTHORIZATION)?.to_str().ok().and_then(|value| value.split_once(' '));
        Some(value.is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case("bearer") && self.is_token(token.trim())))
    }

    /// All organisations, as JSON.
    pub fn organisations(&self) -> Bytes {
        self.organisations.clone()
    }

    /// How many organisations there are.
    pub fn count(&self) -> usize {
        self.ids.len()
    }

    /// The position of the organisation of this id.
    pub fn organisation(&self, id: &[u8]) -> Option<usize> {
        self.ids.iter().position(|known| known.as_bytes() == id)
    }

    /// The first `limit` items of a list, as JSON.
    pub fn list(&self, list: List, organisation: usize, limit: u64) -> Bytes {
        let key = (list, organisation, limit);
        self.made.borrow_mut().entry(key).or_insert_with(|| self.make(list, organisation, limit)).clone()
    }

    /// The agents of an organisation: id, and whether it is published.
    pub fn agents(&self, organisation: usize) -> impl Iterator<Item = (String, bool)> {
        let space = List::Agents.space() + organisation as u64;
        (0..MAX_LIMIT).map(move |k| (id(self.seed, space, k), self.draft != Some(k)))
    }

    fn make(&self, list: List, organisation: usize, limit: u64) -> Bytes {
        let space = list.space() + organisation as u64;
        // 100 at least, so that every limit is filled.
        let total = MAX_LIMIT + random(self.seed, space, u64::MAX) % 400;
        let items: Vec<Value> = (0..limit).map(|k| self.item(list, organisation, space, k)).collect();
        json!({"items": items, "total": total}).to_string().into()
    }

    fn item(&self, list: List, organisation: usize, space: u64, k: u64) -> Value {
        let id = id(self.seed, space, k);
        let draw = random(self.seed, space, k);
        let number = k + 1;
        match list {
            List::Agents => {
                let status = if self.draft == Some(k) { "draft" } else { "published" };
                json!({"id": id, "name": format!("Agent {number}"), "status": status})
            }
            List::Runs => {
                let agents = List::Agents.space() + organisation as u64;
                let agent = crate::draw::id(self.seed, agents, draw % MAX_LIMIT);
                json!({"id": id, "agent_id": agent, "status": "completed", "duration_ms": 200 + draw % 5_000})
            }
            List::Conversations => {
                json!({"id": id, "title": format!("Conversation {number}"), "messages": 1 + draw % 40})
            }
        }
    }
}
