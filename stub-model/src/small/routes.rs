//! Which path is what.

use hyper::Method;

use crate::control::takes;
use crate::directory::List;

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Small,
    Echo,
    Slow,
    Fault,
    Login,
    Organisations,
    List(List),
    Unknown,
}

impl Route {
    /// The route of a path without its query.
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/small" => Self::Small,
            "/echo" => Self::Echo,
            "/slow" => Self::Slow,
            "/fault" => Self::Fault,
            "/api/v1/auth/login" => Self::Login,
            "/api/v1/orgs" => Self::Organisations,
            "/api/v1/agents" => Self::List(List::Agents),
            "/api/v1/runs" => Self::List(List::Runs),
            "/api/v1/conversations" => Self::List(List::Conversations),
            _ => Self::Unknown,
        }
    }

    /// The path in the metrics; one for all unknown ones, so that a client cannot make series without end.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Small => "/small",
            Self::Echo => "/echo",
            Self::Slow => "/slow",
            Self::Fault => "/fault",
            Self::Login => "/api/v1/auth/login",
            Self::Organisations => "/api/v1/orgs",
            Self::List(List::Agents) => "/api/v1/agents",
            Self::List(List::Runs) => "/api/v1/runs",
            Self::List(List::Conversations) => "/api/v1/conversations",
            Self::Unknown => "other",
        }
    }

    /// The methods this route takes, as in the field `allow`; none where any will do. GET brings HEAD with it.
    pub(super) fn methods(self) -> Option<&'static str> {
        match self {
            Self::Echo | Self::Fault | Self::Unknown => None,
            Self::Login => Some("POST"),
            _ => Some("GET, HEAD"),
        }
    }

    /// True where this route takes the method.
    pub(super) fn takes(self, method: &Method) -> bool {
        self.methods().is_none_or(|methods| takes(methods, method))
    }

    /// True where the request's body is looked at.
    pub(super) fn wants_body(self) -> bool {
        matches!(self, Self::Echo | Self::Login)
    }
}
