//! Which path of the platform is what.

use crate::directory::List;

/// What a path leads to, with the parts of the path that vary, still encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route<'a> {
    Health,
    Login,
    Organisations,
    List(List),
    Run { agent: &'a str },
    Search,
    Collections,
    Collection { name: &'a str },
    Ingest { collection: &'a str },
    Triggers,
    Trigger { source: &'a str, id: &'a str },
    Chat,
    Unknown,
}

impl<'a> Route<'a> {
    /// The route of a path without its query.
    pub(super) fn of(path: &'a str) -> Self {
        let Some(path) = path.strip_prefix("/api/v1/") else { return Self::Unknown };
        let mut parts = path.split('/');
        let first = (parts.next(), parts.next(), parts.next(), parts.next(), parts.next());
        match first {
            (Some("health"), None, ..) => Self::Health,
            (Some("auth"), Some("login"), None, ..) => Self::Login,
            (Some("orgs"), None, ..) => Self::Organisations,
            (Some("agents"), None, ..) => Self::List(List::Agents),
            (Some("runs"), None, ..) => Self::List(List::Runs),
            (Some("conversations"), None, ..) => Self::List(List::Conversations),
            (Some("agents"), Some(agent), Some("run"), None, _) if !agent.is_empty() => Self::Run { agent },
            (Some("rag"), Some("search"), None, ..) => Self::Search,
            (Some("rag"), Some("collections"), None, ..) => Self::Collections,
            (Some("rag"), Some("collections"), Some(name), None, _) if !name.is_empty() => Self::Collection { name },
            (Some("rag"), Some("collections"), Some(collection), Some("ingest"), None) if !collection.is_empty() => {
                Self::Ingest { collection }
            }
            (Some("webhooks"), Some("triggers"), None, ..) => Self::Triggers,
            (Some("webhooks"), Some("triggers"), Some(source), Some(id), None)
                if !source.is_empty() && !id.is_empty() =>
            {
                Self::Trigger { source, id }
            }
            (Some("ws"), Some("agent"), None, ..) => Self::Chat,
            _ => Self::Unknown,
        }
    }

    /// The path in the metrics; one for all unknown ones, so that a client cannot make series without end.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Health => "/api/v1/health",
            Self::Login => "/api/v1/auth/login",
            Self::Organisations => "/api/v1/orgs",
            Self::List(List::Agents) => "/api/v1/agents",
            Self::List(List::Runs) => "/api/v1/runs",
            Self::List(List::Conversations) => "/api/v1/conversations",
            Self::Run { .. } => "/api/v1/agents/{id}/run",
            Self::Search => "/api/v1/rag/search",
            Self::Collections => "/api/v1/rag/collections",
            Self::Collection { .. } => "/api/v1/rag/collections/{name}",
            Self::Ingest { .. } => "/api/v1/rag/collections/{name}/ingest",
            Self::Triggers => "/api/v1/webhooks/triggers",
            Self::Trigger { .. } => "/api/v1/webhooks/triggers/{source}/{id}",
            Self::Chat => "/api/v1/ws/agent",
            Self::Unknown => "other",
        }
    }

    /// The methods this route takes, as in the field `allow`; none where any will do.
    pub(super) fn methods(self) -> Option<&'static str> {
        match self {
            Self::Login | Self::Run { .. } | Self::Search | Self::Ingest { .. } | Self::Trigger { .. } => Some("POST"),
            Self::Chat => Some("GET"),
            Self::Unknown => None,
            _ => Some("GET, HEAD"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_they_should_and_others_nowhere() {
        assert_eq!(Route::of("/api/v1/agents"), Route::List(List::Agents));
        assert_eq!(Route::of("/api/v1/agents/a-1/run"), Route::Run { agent: "a-1" });
        assert_eq!(Route::of("/api/v1/rag/collections/handbook"), Route::Collection { name: "handbook" });
        assert_eq!(Route::of("/api/v1/rag/collections/handbook/ingest"), Route::Ingest { collection: "handbook" });
        assert_eq!(Route::of("/api/v1/webhooks/triggers/github/t-1"), Route::Trigger { source: "github", id: "t-1" });
        assert_eq!(Route::of("/api/v1/ws/agent"), Route::Chat);
        for path in [
            "/",
            "/api/v1",
            "/api/v1/",
            "/api/v1/agents/",
            "/api/v1/agents//run",
            "/api/v1/agents/a/run/",
            "/api/v1/rag/collections/",
            "/api/v1/rag/collections//ingest",
            "/api/v1/webhooks/triggers/github",
            "/api/v1/webhooks/triggers/github/t/more",
            "/api/v2/agents",
            "/v1/models",
        ] {
            assert_eq!(Route::of(path), Route::Unknown, "{path}");
        }
    }
}
