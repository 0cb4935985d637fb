//! Parameters of a request's query, each checked when it is read.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A parameter that cannot be honoured; answered with 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct BadParameter {
    /// The parameter's name.
    pub name: &'static str,
    /// What is wrong with it and what is allowed.
    pub problem: String,
}

impl BadParameter {
    /// A parameter and what is wrong with it.
    pub fn new(name: &'static str, problem: impl Into<String>) -> Self {
        Self { name, problem: problem.into() }
    }
}

/// The decoded parameters of one query. Names that nobody asks for are ignored, so that a load may carry its own.
#[derive(Debug, Default)]
pub struct Query<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Query<'a> {
    /// Decodes a query as `application/x-www-form-urlencoded`; bytes that are not UTF-8 become U+FFFD.
    pub fn parse(query: Option<&'a str>) -> Self {
        Self { pairs: form_urlencoded::parse(query.unwrap_or("").as_bytes()).collect() }
    }

    /// True where the query names nothing at all.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The value of a parameter, none where it is absent.
    ///
    /// # Errors
    /// A parameter given more than once, since either value could be meant.
    pub fn text(&self, name: &'static str) -> Result<Option<&str>, BadParameter> {
        let mut values = self.pairs.iter().filter(|(key, _)| key == name);
        let first = values.next().map(|(_, value)| value.as_ref());
        if values.next().is_some() {
            return Err(BadParameter::new(name, "is given more than once"));
        }
        Ok(first)
    }

    /// A whole number, none where it is absent.
    ///
    /// # Errors
    /// Anything but decimal digits, a number out of the range, or a repeated parameter.
    pub fn number(&self, name: &'static str, range: RangeInclusive<u64>) -> Result<Option<u64>, BadParameter> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse::<u64>() {
            Ok(number) if digits && range.contains(&number) => Ok(Some(number)),
            _ => {
                let problem = format!("{text:?} is not a whole number from {} to {}", range.start(), range.end());
                Err(BadParameter::new(name, problem))
            }
        }
    }

    /// A switch: `1` is on, `0` or absent is off.
    ///
    /// # Errors
    /// Any other value, or a repeated parameter.
    pub fn flag(&self, name: &'static str) -> Result<bool, BadParameter> {
        match self.text(name)? {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(BadParameter::new(name, format!("{other:?} is neither 1 nor 0"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_digits_within_its_range() {
        let query = Query::parse(Some("a=7&b=&c=-1&d=+3&e=99&f=%37"));
        assert_eq!(query.number("a", 0..=10), Ok(Some(7)));
        assert_eq!(query.number("f", 0..=10), Ok(Some(7)));
        assert_eq!(query.number("absent", 0..=10), Ok(None));
        for name in ["b", "c", "d", "e"] {
            assert_eq!(query.number(name, 0..=10).unwrap_err().name, name);
        }
    }

    #[test]
    fn a_repeated_parameter_is_refused() {
        let query = Query::parse(Some("a=1&a=1"));
        assert_eq!(query.flag("a").unwrap_err().problem, "is given more than once");
    }

    #[test]
    fn a_flag_is_one_or_nothing() {
        let query = Query::parse(Some("on=1&off=0&odd=yes&bare"));
        assert_eq!((query.flag("on"), query.flag("off"), query.flag("absent")), (Ok(true), Ok(false), Ok(false)));
        assert_eq!(query.flag("odd").unwrap_err().problem, "\"yes\" is neither 1 nor 0");
        assert!(query.flag("bare").is_err());
    }
}
