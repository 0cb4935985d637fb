//! The schema of a plugin's configuration, as something that checks one.

use jsonschema::{PatternOptions, Validator};

use super::load::Plugin;

impl Plugin {
    /// What checks a configuration; none where the plugin gives no schema.
    ///
    /// # Errors
    /// In words, what keeps the schema from being one. It comes from a file that nobody has read: nothing is fetched for
    /// it, and patterns are matched in linear time.
    pub fn config_validator(&self) -> Result<Option<Validator>, String> {
        let Some(schema) = self.description.config_schema_value() else { return Ok(None) };
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        options.build(&schema).map(Some).map_err(|error| error.masked().to_string())
    }
}
