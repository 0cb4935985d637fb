//! Who asks, and for which organisation.

use hyper::StatusCode;
use hyper::header::HeaderMap;

use crate::directory::{Directory, ORGANISATION_FIELD};
use crate::web::Reply;

use super::refusal;

/// Who can log in.
#[derive(Debug, Clone)]
pub(super) struct User {
    pub(super) email: String,
    pub(super) password: String,
}

/// `POST /api/v1/auth/login`: 401 for a wrong user or password, 422 for a form that lacks one.
pub(super) fn login(user: &User, directory: &Directory, form: &[u8]) -> Result<Reply, Reply> {
    let (mut username, mut password) = (None, None);
    for (name, value) in form_urlencoded::parse(form) {
        match name.as_ref() {
            "username" => username = Some(value),
            "password" => password = Some(value),
            _ => {}
        }
    }
    let username = username.ok_or_else(|| refusal::missing(&["body", "username"]))?;
    let password = password.ok_or_else(|| refusal::missing(&["body", "password"]))?;
    if username == user.email && password == user.password {
        Ok(Reply::json(StatusCode::OK, directory.login()))
    } else {
        Err(refusal::unauthorised("Incorrect username or password"))
    }
}

/// Lets pass who has the token: 401 for everybody else.
pub(super) fn authorised(directory: &Directory, fields: &HeaderMap) -> Result<(), Reply> {
    match directory.bears_token(fields) {
        Some(true) => Ok(()),
        Some(false) => Err(refusal::unauthorised("Could not validate credentials")),
        None => Err(refusal::unauthorised("Not authenticated")),
    }
}

/// The position of the caller's organisation: 401 without the token, 422 without an organisation, 403 for one that is
/// not the caller's.
pub(super) fn organisation(directory: &Directory, fields: &HeaderMap) -> Result<usize, Reply> {
    authorised(directory, fields)?;
    let id = fields.get(ORGANISATION_FIELD).ok_or_else(|| refusal::missing(&["header", ORGANISATION_FIELD]))?;
    member(directory, id.as_bytes())
}

/// The position of the organisation of this id: 403 for one that is not the caller's.
pub(super) fn member(directory: &Directory, id: &[u8]) -> Result<usize, Reply> {
    let refused = || refusal::detail(StatusCode::FORBIDDEN, "Not a member of this organization");
    directory.organisation(id).ok_or_else(refused)
}
