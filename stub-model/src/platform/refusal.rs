//! Errors in the form in which `FastAPI` has them: `{"detail": …}`.

use hyper::StatusCode;
use serde_json::{Map, Value, json};

use crate::web::Reply;

use super::client::ModelError;
use super::pool::PoolTimeout;

/// An error with a text.
pub(super) fn detail(status: StatusCode, text: &str) -> Reply {
    Reply::json(status, json!({"detail": text}).to_string())
}

/// 401.
pub(super) fn unauthorised(text: &str) -> Reply {
    detail(StatusCode::UNAUTHORIZED, text).asking_for_bearer()
}

/// 404.
pub(super) fn not_found(text: &str) -> Reply {
    detail(StatusCode::NOT_FOUND, text)
}

/// 405.
pub(super) fn method_not_allowed(allow: &'static str) -> Reply {
    detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed").allowing(allow)
}

/// 422: what stands at a place of the request (such as `body`, `query`) cannot be used.
pub(super) fn unprocessable(kind: &str, place: &[&str], text: &str) -> Reply {
    let body = json!({"detail": [{"type": kind, "loc": place, "msg": text}]});
    Reply::json(StatusCode::UNPROCESSABLE_ENTITY, body.to_string())
}

/// 422: something that must be there is not.
pub(super) fn missing(place: &[&str]) -> Reply {
    unprocessable("missing", place, "Field required")
}

/// Reads a body as a JSON object.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, Reply> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(unprocessable("model_attributes_type", &["body"], "Input should be an object")),
        Err(error) => Err(unprocessable("json_invalid", &["body"], &format!("JSON decode error: {error}"))),
    }
}

/// A text of an object that is not empty; none where it is absent.
pub(super) fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Result<Option<&'a str>, Reply> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
        Some(Value::String(_)) => {
            let text = "String should have at least 1 character";
            Err(unprocessable("string_too_short", &["body", name], text))
        }
        Some(_) => Err(unprocessable("string_type", &["body", name], "Input should be a valid string")),
    }
}

/// 500: no connection in time.
impl From<PoolTimeout> for Reply {
    fn from(error: PoolTimeout) -> Self {
        detail(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
    }
}

/// 504 where the model said nothing in time, 502 where it failed otherwise.
impl From<ModelError> for Reply {
    fn from(error: ModelError) -> Self {
        let timeout = matches!(error, ModelError::Timeout(_));
        let status = if timeout { StatusCode::GATEWAY_TIMEOUT } else { StatusCode::BAD_GATEWAY };
        detail(status, &error.to_string())
    }
}
