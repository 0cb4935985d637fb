//! A value from the configuration or from setup.

/// Where a workload's value may come from.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// `login` always shares it.
    ByLogin,
    /// `login` shares it where its own configuration has this key.
    ByLoginWith(&'static str),
}

impl Given {
    /// The configured value, else the shared one.
    ///
    /// # Errors
    /// A refusal for `configure` where neither is there or it is empty: it names `config.<key>` and what to do.
    pub fn take(self, key: &str, configured: Option<String>, shared: Option<&str>) -> Result<String, String> {
        match configured.or_else(|| shared.map(str::to_owned)) {
            Some(value) if !value.is_empty() => Ok(value),
            Some(_) => Err(format!("config.{key}: must not be empty")),
            None => Err(match self {
                Self::ByLogin => format!("config.{key}: missing; add [[setup]] plugin = \"login\", or give it here"),
                Self::ByLoginWith(name) => format!(
                    "config.{key}: missing; add [[setup]] plugin = \"login\" with `{name}` in its config, or give it here"
                ),
            }),
        }
    }
}
