//! What a plugin may be called: its scenarios, its package and its file all bear the name.

use crate::plugin::BUILT_IN;

use super::Language;

/// The longest name, as the interface has it.
const LONGEST: usize = 64;

/// Whether a plugin can be called so.
///
/// # Errors
/// What is wrong with the name, and what to do.
pub(super) fn check(name: &str, language: Language) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let what = if name.is_empty() || name.len() > LONGEST || !name.chars().all(plain) {
        format!("a plugin's name has 1 to {LONGEST} lower-case letters, digits and `_`")
    } else if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        "a plugin's name begins with a letter".to_owned()
    } else if let Some(why) = keeps(name, language) {
        why.to_owned()
    } else {
        return Ok(());
    };
    let shown: String = name.chars().take(LONGEST).collect();
    let nearest = nearest(name, language);
    Err(format!("the name {shown:?} cannot be used: {what}\n  help: choose another, such as {nearest}"))
}

/// Why a plugin cannot be called so; none where it can.
fn keeps(name: &str, language: Language) -> Option<&'static str> {
    // A scenario that says it would find either, by whether the file is built.
    (name == BUILT_IN)
        .then_some("is the plugin for plain HTTP, which the engine has built in")
        .or_else(|| language.keeps(name))
}

/// A name that can be used, and is as near as it gets.
fn nearest(name: &str, language: Language) -> String {
    let mut nearest = String::new();
    for c in name.chars().take(LONGEST / 2) {
        let c = c.to_ascii_lowercase();
        if c.is_ascii_lowercase() || c.is_ascii_digit() && !nearest.is_empty() {
            nearest.push(c);
        } else if !nearest.is_empty() && !nearest.ends_with('_') {
            nearest.push('_');
        }
    }
    let nearest = nearest.trim_end_matches('_');
    match nearest {
        "" => "checkout".to_owned(),
        word if keeps(word, language).is_some() => format!("{word}_load"),
        word => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_can_be_used() {
        for name in ["checkout", "a", "api_read2", &"x".repeat(64)] {
            assert_eq!(check(name, Language::Rust), Ok(()), "{name}");
        }
    }

    #[test]
    fn other_names_say_why_and_what_instead() {
        let seen = |name: &str| check(name, Language::Rust).unwrap_err();
        assert_eq!(
            seen("My-Plugin"),
            "the name \"My-Plugin\" cannot be used: a plugin's name has 1 to 64 lower-case letters, digits and `_`\n  help: \
             choose another, such as my_plugin"
        );
        assert_eq!(
            seen("2fa"),
            "the name \"2fa\" cannot be used: a plugin's name begins with a letter\n  help: choose another, such as fa"
        );
        assert_eq!(
            seen("async"),
            "the name \"async\" cannot be used: is a word of Rust, which no crate can be called\n  help: choose another, such \
             as async_load"
        );
        assert_eq!(
            seen("serde"),
            "the name \"serde\" cannot be used: is a crate that plugins are built with\n  help: choose another, such as \
             serde_load"
        );
        assert_eq!(
            seen("http"),
            "the name \"http\" cannot be used: is the plugin for plain HTTP, which the engine has built in\n  help: choose \
             another, such as http_load"
        );
        assert!(seen("").ends_with("such as checkout") && seen("../x").ends_with("such as x"), "{}", seen("../x"));
    }

    #[test]
    fn whatever_is_proposed_can_be_used() {
        use clap::ValueEnum as _;
        for &language in Language::value_variants() {
            for name in
                ["", "___", "http", "É", "self", "json", "engine", "A--b", "1", "_x", "core ", &"ab-".repeat(99)]
            {
                let proposed = nearest(name, language);
                assert_eq!(check(&proposed, language), Ok(()), "{name}: {proposed}");
            }
        }
    }
}
