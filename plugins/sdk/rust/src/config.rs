//! What a plugin is configured with.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The configuration of a plugin that has none: any key is refused.
///
/// ```
/// use engine_sdk::testing::configure;
/// # engine_sdk::example!(Agents(_ctx) { Ok(()) });
///
/// // `Agents` has `type Config = NoConfig`.
/// assert_eq!(configure::<Agents>("{}"), Ok(()));
/// assert!(configure::<Agents>(r#"{"item":"tea"}"#).is_err());
/// ```
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoConfig {}

/// What setup flows have shared: the keys of one JSON object. Empty where there was no setup. It comes to
/// [`configure`](crate::Workload::configure).
///
/// ```
/// use engine_sdk::{NoConfig, Shared};
///
/// struct Plan {
///     authorization: String,
/// }
///
/// fn configure(_: NoConfig, shared: Shared) -> Result<Plan, String> {
///     let token = shared.text("token").ok_or("shared: no token; is there a [[setup]] that logs in?")?;
///     Ok(Plan { authorization: format!("Bearer {token}") })
/// }
///
/// assert!(configure(NoConfig {}, Shared::default()).is_err());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Shared(Map<String, Value>);

impl Shared {
    /// The value of this key; `None` where nothing was shared under it.
    ///
    /// ```
    /// use engine_sdk::Shared;
    ///
    /// fn limit(shared: &Shared) -> u64 {
    ///     shared.get("limit").and_then(|limit| limit.as_u64()).unwrap_or(20)
    /// }
    ///
    /// assert_eq!(limit(&Shared::default()), 20);
    /// ```
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The value of this key, where it is a string.
    ///
    /// ```
    /// use engine_sdk::Shared;
    ///
    /// fn token(shared: &Shared) -> Result<&str, String> {
    ///     shared.text("token").ok_or_else(|| "shared.token: missing".to_owned())
    /// }
    ///
    /// assert!(token(&Shared::default()).is_err());
    /// ```
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Everything as a value of this shape.
    ///
    /// # Errors
    /// A text that names the key and what was expected there; a refusal for `configure`.
    ///
    /// ```
    /// use engine_sdk::Shared;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Session {
    ///     token: String,
    /// }
    ///
    /// let nothing = Shared::default();
    /// assert!(nothing.read::<Session>().is_err_and(|refusal| refusal.starts_with("shared: missing field")));
    /// ```
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        shaped("shared", Value::Object(self.0.clone()))
    }

    /// Everything.
    ///
    /// ```
    /// use engine_sdk::Shared;
    ///
    /// assert!(Shared::default().object().is_empty());
    /// ```
    pub fn object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// From the JSON that the engine hands over.
    ///
    /// # Errors
    /// A text for people, where it is no JSON object.
    pub(crate) fn parse(json: Option<&str>) -> Result<Self, String> {
        json.map_or(Ok(Self::default()), |json| {
            serde_json::from_str(json).map(Self).map_err(|error| format!("shared: {error}"))
        })
    }
}

/// The configuration from its JSON.
///
/// # Errors
/// A text that names the key and what was expected there.
pub(crate) fn parse<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    // By way of a value: its errors have no line and column, which mean nothing in what was TOML once.
    let value: Value = serde_json::from_str(json).map_err(|error| format!("config: {error}"))?;
    shaped("config", value)
}

/// A value of this shape; `whole` is what the text calls all of it.
fn shaped<T: DeserializeOwned>(whole: &str, value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| match error.path().to_string().as_str() {
        "." => format!("{whole}: {}", error.inner()),
        path => format!("{whole}.{path}: {}", error.inner()),
    })
}

/// The JSON Schema (draft 07, which editors know) of a configuration.
pub(crate) fn schema<T: JsonSchema>() -> String {
    SchemaSettings::draft07().into_generator().into_root_schema_for::<T>().to_value().to_string()
}
