//! What a plugin's manifest says of it, whatever language it is written in.

/// Who made a plugin, under what terms and from what. It goes into the component, where `engine plugin inspect` shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its name, as the manifest writes it.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// One line for people.
    pub description: Option<String>,
    /// Who wrote it.
    pub authors: Vec<String>,
    /// Its licence, as an SPDX expression.
    pub licence: Option<Said>,
    /// Where its source is kept.
    pub repository: Option<Said>,
    /// Where more is to be read.
    pub homepage: Option<Said>,
    /// The commit of its source, where that is known.
    pub revision: Option<String>,
    /// Name and version of the SDK it is built with.
    pub sdk: Option<(String, String)>,
}

/// A value of a manifest that may turn out to be of no use, with the key it stands under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// As the manifest writes it, such as `package.license`.
    pub key: &'static str,
    /// The value.
    pub text: String,
}

impl Said {
    /// A value, where there is one.
    pub fn at(key: &'static str, text: Option<impl Into<String>>) -> Option<Self> {
        text.map(|text| Self { key, text: text.into() })
    }
}

impl About {
    /// The name as that of a file: lower-case letters, digits and `_`.
    pub fn file_name(&self) -> String {
        // What stands before a slash is whose package it is (`@team/chat`).
        let name = self.name.rsplit('/').next().unwrap_or_default();
        name.to_lowercase().replace(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit(), "_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_fit_for_a_file() {
        let named = |name: &str| About { name: name.to_owned(), ..About::default() }.file_name();
        assert_eq!(named("tea-shop"), "tea_shop");
        assert_eq!(named("@team/Chat.Stream"), "chat_stream");
        assert_eq!(named("example.org/x/api"), "api");
    }
}
