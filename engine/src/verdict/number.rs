//! Figures for people: at least three significant digits, thousands apart.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantity {
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// The units of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
    /// A part of the whole, 1 being all of it; shown in per cent.
    Share,
    /// A number of things.
    Count,
}

impl Quantity {
    /// A time given in nanoseconds.
    pub fn ns(nanoseconds: f64) -> Self {
        Self { value: nanoseconds / 1e6, unit: Unit::Ms }
    }

    /// A time in milliseconds.
    pub fn ms(value: f64) -> Self {
        Self { value, unit: Unit::Ms }
    }

    /// A time in seconds.
    pub fn seconds(value: f64) -> Self {
        Self { value, unit: Unit::S }
    }

    /// A part of the whole.
    pub fn share(value: f64) -> Self {
        Self { value, unit: Unit::Share }
    }

    /// A number of things.
    pub fn count(value: u64) -> Self {
        Self { value: value as f64, unit: Unit::Count }
    }

    /// As it was set by people: no digits beyond those given.
    pub fn plain(self) -> String {
        match self.unit {
            Unit::Ms => format!("{} ms", trimmed(self.value)),
            Unit::S => format!("{} s", trimmed(self.value)),
            Unit::Share => format!("{} %", trimmed(self.value * 100.0)),
            Unit::Count => trimmed(self.value),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Unit::Ms => write!(f, "{} ms", significant(self.value)),
            Unit::S => write!(f, "{} s", significant(self.value)),
            Unit::Share => f.write_str(&percent(self.value)),
            Unit::Count => f.write_str(&trimmed(self.value)),
        }
    }
}

/// A part of the whole in per cent: `0.0512` is `5.12 %`.
pub fn percent(share: f64) -> String {
    format!("{} %", significant(share * 100.0))
}

/// A figure with three significant digits or as many as its whole part has: `0.123`, `1.23`, `12.3`, `123`, `1,234`.
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return "n/a".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, reason = "the exponent of a float is between -324 and 308")]
    let exponent = value.abs().log10().floor() as i32;
    let decimals = usize::try_from(2 - exponent).unwrap_or(0).min(9);
    separated(&format!("{value:.decimals$}"))
}

/// A whole number with its thousands apart.
pub fn grouped(value: u64) -> String {
    separated(&value.to_string())
}

/// A figure to nine decimals, without zeros at its end.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.9}");
    separated(text.trim_end_matches('0').trim_end_matches('.'))
}

/// Sets commas into the whole part of a decimal number.
fn separated(number: &str) -> String {
    let (sign, number) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = number.split_once('.').map_or((number, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut text = sign.to_owned();
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if let Some(fraction) = fraction {
        text.push('.');
        text.push_str(fraction);
    }
    text
}
