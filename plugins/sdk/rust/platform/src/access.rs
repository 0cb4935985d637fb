//! Who asks.

use crate::{Given, Session};

/// A token and an organization, and the request fields that carry them. Its debug form shows neither.
pub struct Access {
    token: String,
    fields: [(&'static str, String); 3],
}

impl Access {
    /// Token and organization from the configuration, else from the session.
    ///
    /// # Errors
    /// A refusal for `configure`: a value is missing, or could not stand in a request field. It never shows the value.
    pub fn new(token: Option<String>, organization: Option<String>, session: &Session) -> Result<Self, String> {
        let token = Given::ByLogin.take("token", token, session.access_token.as_deref())?;
        let organization = Given::ByLogin.take("organization", organization, session.organization.as_deref())?;
        for (key, value) in [("token", &token), ("organization", &organization)] {
            if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(format!("config.{key}: must be printable ASCII without spaces"));
            }
        }
        let authorization = format!("Bearer {token}");
        let accept = "application/json".to_owned();
        let fields = [("Accept", accept), ("Authorization", authorization), ("X-Organization-Id", organization)];
        Ok(Self { token, fields })
    }

    /// `Accept`, `Authorization` and `X-Organization-Id`, for every request.
    pub fn fields(&self) -> &[(&'static str, String)] {
        &self.fields
    }

    /// The bearer token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The organization's id.
    pub fn organization(&self) -> &str {
        &self.fields[2].1
    }

    /// A text of the platform's without the token, in case it was echoed.
    pub fn hide(&self, text: &str) -> String {
        text.replace(&self.token, "***")
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").finish_non_exhaustive()
    }
}
