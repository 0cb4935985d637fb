//! Errors in the form in which `OpenAI`'s API has them.

use hyper::StatusCode;
use serde_json::json;

use crate::web::Reply;

/// A request that gets an error; `param` is the field at fault, where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    status: StatusCode,
    kind: &'static str,
    message: String,
    param: Option<String>,
    code: Option<&'static str>,
    allow: Option<&'static str>,
}

impl Refusal {
    fn new(status: StatusCode, message: impl Into<String>, code: Option<&'static str>) -> Self {
        Self { status, kind: "invalid_request_error", message: message.into(), param: None, code, allow: None }
    }

    /// 400: a field is missing, or not what it must be.
    pub(super) fn field(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..Self::new(StatusCode::BAD_REQUEST, message, None) }
    }

    /// 400: a field that must be there is not.
    pub(super) fn missing(param: &str) -> Self {
        let code = Some("missing_required_parameter");
        let message = format!("Missing required parameter: '{param}'.");
        Self { param: Some(param.to_owned()), ..Self::new(StatusCode::BAD_REQUEST, message, code) }
    }

    /// 400: the body is not a JSON object.
    pub(super) fn not_json(problem: &str) -> Self {
        let message = format!("We could not parse the JSON body of your request: {problem}");
        Self::new(StatusCode::BAD_REQUEST, message, None)
    }

    /// 413: the body is longer than `limit` bytes.
    pub(super) fn too_large(limit: usize) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, format!("A request body may have {limit} bytes at most."), None)
    }

    /// 404: there is nothing at this path.
    pub(super) fn unknown_url(method: &str, path: &str) -> Self {
        let message = format!("Unknown request URL: {method} {path}. Please check the URL for typos.");
        Self::new(StatusCode::NOT_FOUND, message, Some("unknown_url"))
    }

    /// 404: there is no such model.
    pub(super) fn unknown_model(model: &str) -> Self {
        let message = format!("The model '{model}' does not exist or you do not have access to it.");
        let error = Self::new(StatusCode::NOT_FOUND, message, Some("model_not_found"));
        Self { param: Some("model".to_owned()), ..error }
    }

    /// 405: the path takes other methods.
    pub(super) fn method(method: &str, path: &str, allow: &'static str) -> Self {
        let message = format!("Not allowed to {method} on {path}. This path takes {allow}.");
        let error = Self::new(StatusCode::METHOD_NOT_ALLOWED, message, Some("method_not_supported"));
        Self { allow: Some(allow), ..error }
    }

    /// 500: the fault that was asked for.
    pub(super) fn server() -> Self {
        let message = "The server had an error while processing your request. Sorry about that!";
        Self { kind: "server_error", ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, message, None) }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        let Refusal { status, kind, message, param, code, allow } = refusal;
        let error = json!({"message": message, "type": kind, "param": param, "code": code});
        let reply = Self::json(status, json!({"error": error}).to_string());
        match allow {
            Some(allow) => reply.allowing(allow),
            None => reply,
        }
    }
}
