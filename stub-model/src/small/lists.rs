//! The lists that the plugin `api_read` reads, as the small target answers them: a log-in, organisations, and three
//! lists within one.

use hyper::StatusCode;
use hyper::header::HeaderMap;

use crate::directory::{DEFAULT_LIMIT, Directory, List, MAX_LIMIT, ORGANISATION_FIELD, PASSWORD, USERNAME};
use crate::query::Query;

use super::answer::Reply;

/// `POST /api/v1/auth/login`: 401 for a wrong user or password, 422 for a form that lacks one.
pub(super) fn login(directory: &Directory, form: &[u8]) -> Reply {
    let (mut username, mut password) = (None, None);
    for (name, value) in form_urlencoded::parse(form) {
        match name.as_ref() {
            "username" => username = Some(value),
            "password" => password = Some(value),
            _ => {}
        }
    }
    match (username.as_deref(), password.as_deref()) {
        (Some(USERNAME), Some(PASSWORD)) => Reply::json(directory.login()),
        (Some(_), Some(_)) => Reply::unauthorized("wrong username or password"),
        (None, _) => missing("username"),
        (_, None) => missing("password"),
    }
}

/// `GET /api/v1/orgs`.
pub(super) fn organisations(directory: &Directory, fields: &HeaderMap) -> Reply {
    authorised(directory, fields).map_or_else(|refusal| *refusal, |()| Reply::json(directory.organisations()))
}

/// `GET /api/v1/{agents,runs,conversations}?limit=`.
pub(super) fn list(directory: &Directory, list: List, fields: &HeaderMap, query: &Query<'_>) -> Reply {
    try_list(directory, list, fields, query).unwrap_or_else(|refusal| *refusal)
}

fn try_list(directory: &Directory, list: List, fields: &HeaderMap, query: &Query<'_>) -> Result<Reply, Box<Reply>> {
    authorised(directory, fields)?;
    let organisation = organisation(directory, fields)?;
    let limit = query.number("limit", 1..=MAX_LIMIT).map_err(|bad| Box::new(Reply::bad_parameter(&bad)))?;
    Ok(Reply::json(directory.list(list, organisation, limit.unwrap_or(DEFAULT_LIMIT))))
}

fn authorised(directory: &Directory, fields: &HeaderMap) -> Result<(), Box<Reply>> {
    let refused = |message| Err(Box::new(Reply::unauthorized(message)));
    match directory.bears_token(fields) {
        Some(true) => Ok(()),
        Some(false) => refused("the bearer token is not the one that logging in gives"),
        None => refused("the field authorization is missing"),
    }
}

/// The position of the organisation that the request names.
fn organisation(directory: &Directory, fields: &HeaderMap) -> Result<usize, Box<Reply>> {
    let value = fields.get(ORGANISATION_FIELD).ok_or_else(|| {
        let message = "the field x-organization-id is missing";
        Box::new(Reply::error(StatusCode::BAD_REQUEST, "organization_missing", message))
    })?;
    directory.organisation(value.as_bytes()).ok_or_else(|| {
        let message = "the field x-organization-id names no organisation of this user";
        Box::new(Reply::error(StatusCode::FORBIDDEN, "organization_unknown", message))
    })
}

/// 422 that names what a form lacks.
fn missing(name: &str) -> Reply {
    let message = format!("the form field {name} is missing");
    Reply::error(StatusCode::UNPROCESSABLE_ENTITY, "form_field_missing", &message)
}
