//! Which path of the model is what.

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Chat,
    Embeddings,
    Models,
    Model,
    Seen,
    Unknown,
}

impl Route {
    /// The route of a path without its query.
    pub(super) fn of(path: &str) -> Self {
        match path {
            "/v1/chat/completions" => Self::Chat,
            "/v1/embeddings" => Self::Embeddings,
            "/v1/models" => Self::Models,
            "/seen" => Self::Seen,
            _ => match path.strip_prefix("/v1/models/") {
                Some(id) if !id.is_empty() && !id.contains('/') => Self::Model,
                _ => Self::Unknown,
            },
        }
    }

    /// The path in the metrics; one for all unknown ones, so that a client cannot make series without end.
    pub(super) fn pattern(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Embeddings => "/v1/embeddings",
            Self::Models => "/v1/models",
            Self::Model => "/v1/models/{model}",
            Self::Seen => "/seen",
            Self::Unknown => "other",
        }
    }

    /// The methods this route takes, as in the field `allow`; none where any will do.
    pub(super) fn methods(self) -> Option<&'static str> {
        match self {
            Self::Chat | Self::Embeddings => Some("POST"),
            Self::Models | Self::Model | Self::Seen => Some("GET, HEAD"),
            Self::Unknown => None,
        }
    }
}
