//! What of a recording is secret.

use serde_json::Value;

use crate::client;
use crate::credentials::is_credential;
use crate::pieces::SUBPROTOCOL;
use crate::plugin::Action;
use crate::report::{Mask, ReportError};
use crate::worker::Taped;

use super::Recording;

/// Parts of credentials from this many bytes on are secrets by themselves.
const LONG: usize = 8;

impl Recording<'_> {
    /// All values that are secrets: `known` ones, and those that stand under the name of a credential in the
    /// configuration, in what was shared, in paths and bodies of requests, and in the fields of requests and answers.
    ///
    /// # Errors
    /// Where there are more than can be searched for.
    pub fn mask(&self, known: &[String]) -> Result<Mask, ReportError> {
        let mut secrets = known.to_vec();
        for value in std::iter::once(self.config).chain(self.shared) {
            gather(value, false, &mut secrets);
        }
        for taped in self.tape {
            if let Taped::Did(Action::Send { request, .. }) = taped {
                let query = request.path_with_query.split_once('?').map_or("", |(_, query)| query);
                gather_form(query, &mut secrets);
                match std::str::from_utf8(&request.body) {
                    Err(_) => {}
                    Ok(body) => match serde_json::from_str(body) {
                        Ok(value) => gather(&value, false, &mut secrets),
                        Err(_) => gather_form(body, &mut secrets),
                    },
                }
            }
        }
        // What a log-in gave stands in later requests, wherever the plugin put it. Short ones are words.
        for taped in self.tape {
            if let Taped::Heard(_, event) = taped
                && let client::Event::Response { body, .. } = &**event
                && let Ok(value) = serde_json::from_slice(body)
            {
                let mut given = Vec::new();
                gather(&value, false, &mut given);
                secrets.extend(given.into_iter().filter(|text| text.len() >= LONG));
            }
        }
        let mut field = |name: &str, value: &str| {
            if is_credential(name) && !name.eq_ignore_ascii_case(SUBPROTOCOL) {
                // What follows the first pair of a cookie that is set is no secret: where, how long.
                let set = name.eq_ignore_ascii_case("set-cookie");
                let value = if set { value.split(';').next().unwrap_or_default() } else { value };
                // `Bearer x`, `a=b; c=d`: the parts stand elsewhere by themselves.
                for part in value.split([' ', ';', ',']) {
                    let value = part.split_once('=').map_or("", |(_, value)| value);
                    let long = [part, value].into_iter().filter(|part| part.len() >= LONG);
                    secrets.extend(long.map(str::to_owned));
                }
                secrets.push(value.to_owned());
            }
        };
        for taped in self.tape {
            match taped {
                Taped::Did(Action::Send { request, .. }) => {
                    request.fields.iter().for_each(|(name, value)| field(name, value));
                }
                Taped::Heard(_, event) => {
                    let (client::Event::Head { fields, .. }
                    | client::Event::Opened { fields, .. }
                    | client::Event::Response { fields, .. }) = &**event
                    else {
                        continue;
                    };
                    for (name, value) in fields {
                        field(name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
                    }
                }
                _ => {}
            }
        }
        Mask::new(secrets)
    }
}

/// Texts under the name of a credential.
fn gather(value: &Value, secret: bool, secrets: &mut Vec<String>) {
    match value {
        Value::String(text) if secret => secrets.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, secret, secrets)),
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| gather(value, secret || is_credential(key), secrets));
        }
        _ => {}
    }
}

/// Values under the name of a credential in a query or a form, as they stand and as they are meant.
fn gather_form(form: &str, secrets: &mut Vec<String>) {
    for (name, value) in form.split('&').filter_map(|pair| pair.split_once('=')) {
        // Such a name is a short one: what is longer is text that happens to hold these characters.
        if name.len() <= 64 && is_credential(name) {
            secrets.push(value.to_owned());
            secrets.extend(
                url::form_urlencoded::parse(format!("a={value}").as_bytes()).map(|(_, value)| value.into_owned()),
            );
        }
    }
}
