//! The lists that the plugin `api_read` reads: a log-in, organisations, and three lists within one.

use std::cell::RefCell;
use std::collections::HashMap;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};

use crate::query::Query;

use super::answer::Reply;
use super::routes::List;

/// The only user who can log in.
pub const USERNAME: &str = "stub";

/// That user's password.
pub const PASSWORD: &str = "stub-password";

/// Organisations there are.
const ORGANISATIONS: u64 = 3;

/// Items of a list unless the query says otherwise.
const DEFAULT_LIMIT: u64 = 20;

/// Most items of a list.
const MAX_LIMIT: u64 = 100;

/// Everything that the lists say, decided by a seed.
#[derive(Debug)]
pub(super) struct Lists {
    seed: u64,
    bearer: String,
    login: Bytes,
    ids: Vec<String>,
    organisations: Bytes,
    /// Answers made so far: a list, the position of its organisation, and a limit. At most 900.
    made: RefCell<HashMap<(List, usize, u64), Bytes>>,
}

impl Lists {
    /// Lists of this seed, for those who have this token.
    pub(super) fn new(seed: u64, token: &str) -> Self {
        let ids: Vec<String> = (0..ORGANISATIONS).map(|k| id(seed, 0, k)).collect();
        let items: Vec<Value> = ids
            .iter()
            .zip(1..)
            .map(|(id, number)| json!({"id": id, "name": format!("Organisation {number}")}))
            .collect();
        Self {
            seed,
            bearer: token.to_owned(),
            login: json!({"access_token": token, "token_type": "bearer"}).to_string().into(),
            ids,
            organisations: json!({"items": items, "total": ORGANISATIONS}).to_string().into(),
            made: RefCell::default(),
        }
    }

    /// `POST /api/v1/auth/login`: 401 for a wrong user or password, 422 for a form that lacks one.
    pub(super) fn login(&self, form: &[u8]) -> Reply {
        let (mut username, mut password) = (None, None);
        for (name, value) in form_urlencoded::parse(form) {
            match name.as_ref() {
                "username" => username = Some(value),
                "password" => password = Some(value),
                _ => {}
            }
        }
        match (username.as_deref(), password.as_deref()) {
            (Some(USERNAME), Some(PASSWORD)) => Reply::json(self.login.clone()),
            (Some(_), Some(_)) => Reply::unauthorized("wrong username or password"),
            (None, _) => missing("username"),
            (_, None) => missing("password"),
        }
    }

    /// `GET /api/v1/orgs`.
    pub(super) fn organisations(&self, fields: &HeaderMap) -> Reply {
        self.authorised(fields).map_or_else(|refusal| *refusal, |()| Reply::json(self.organisations.clone()))
    }

    /// `GET /api/v1/{agents,runs,conversations}?limit=`.
    pub(super) fn list(&self, list: List, fields: &HeaderMap, query: &Query<'_>) -> Reply {
        self.try_list(list, fields, query).unwrap_or_else(|refusal| *refusal)
    }

    fn try_list(&self, list: List, fields: &HeaderMap, query: &Query<'_>) -> Result<Reply, Box<Reply>> {
        self.authorised(fields)?;
        let organisation = self.organisation(fields)?;
        let limit = query.number("limit", 1..=MAX_LIMIT).map_err(|bad| Box::new(Reply::bad_parameter(&bad)))?;
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        let key = (list, organisation, limit);
        Ok(Reply::json(
            self.made.borrow_mut().entry(key).or_insert_with(|| self.make(list, organisation, limit)).clone(),
        ))
    }

    fn authorised(&self, fields: &HeaderMap) -> Result<(), Box<Reply>> {
        let value = fields
            .get(AUTHORIZATION)
            .ok_or_else(|| Box::new(Reply::unauthorized("the field authorization is missing")))?;
        let token = value.to_str().ok().and_then(|value| value.split_once(' '));
        match token {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && token.trim() == self.bearer => Ok(()),
            _ => Err(Box::new(Reply::unauthorized("the bearer token is not the one that logging in gives"))),
        }
    }

    /// The position of the organisation that the request names.
    fn organisation(&self, fields: &HeaderMap) -> Result<usize, Box<Reply>> {
        let value = fields.get("x-organization-id").ok_or_else(|| {
            let message = "the field x-organization-id is missing";
            Box::new(Reply::error(StatusCode::BAD_REQUEST, "organization_missing", message))
        })?;
        self.ids.iter().position(|id| id.as_bytes() == value.as_bytes()).ok_or_else(|| {
            let message = "the field x-organization-id names no organisation of this user";
            Box::new(Reply::error(StatusCode::FORBIDDEN, "organization_unknown", message))
        })
    }

    fn make(&self, list: List, organisation: usize, limit: u64) -> Bytes {
        let space = list_space(list) + organisation as u64;
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
            List::Agents => json!({"id": id, "name": format!("Agent {number}"), "status": "published"}),
            List::Runs => {
                let agent = self::id(self.seed, list_space(List::Agents) + organisation as u64, draw % MAX_LIMIT);
                json!({"id": id, "agent_id": agent, "status": "completed", "duration_ms": 200 + draw % 5_000})
            }
            List::Conversations => {
                json!({"id": id, "title": format!("Conversation {number}"), "messages": 1 + draw % 40})
            }
        }
    }
}

/// 422 that names what a form lacks.
fn missing(name: &str) -> Reply {
    let message = format!("the form field {name} is missing");
    Reply::error(StatusCode::UNPROCESSABLE_ENTITY, "form_field_missing", &message)
}

/// Keeps the ids of one list apart from those of the others; organisations themselves are at 0.
fn list_space(list: List) -> u64 {
    1_000
        * match list {
            List::Agents => 1,
            List::Runs => 2,
            List::Conversations => 3,
        }
}

/// An id in the form of a UUID.
fn id(seed: u64, space: u64, k: u64) -> String {
    let (high, low) = (random(seed, space, 2 * k), random(seed, space, 2 * k + 1));
    // Version 4 and its variant, so that what checks ids accepts them.
    let (version, variant) = (0x4000 | (high & 0x0fff), 0x8000 | ((low >> 48) & 0x3fff));
    let (head, middle, node) = (high >> 32, (high >> 16) & 0xffff, low & 0xffff_ffff_ffff);
    format!("{head:08x}-{middle:04x}-{version:04x}-{variant:04x}-{node:012x}")
}

/// The `k`-th number of a space: the finaliser of `splitmix64` (Steele, Lea, Flood 2014) over the three.
fn random(seed: u64, space: u64, k: u64) -> u64 {
    let mut z = seed ^ mix(space.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ mix(k));
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mix(z)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
