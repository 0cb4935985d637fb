//! What befell a request, as the journal has it.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One thing that befell a request, because of an option, a signal, its own query, or the model's rates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It waited for the end of a stall.
    Stall,
    /// Its answer, or what was left of it, waited for the end of a pause.
    Pause,
    /// It arrived while answers were slow to begin with.
    SlowStart,
    /// It had an even number where every second answer is slow.
    Fast,
    /// It had an odd number where every second answer is slow.
    Slow,
    /// Its answer left byte by byte.
    Loris,
    /// Its connection was reset.
    Reset,
    /// Its connection was closed without an answer.
    Close,
    /// Its answer was cut off.
    Truncate,
    /// It was answered by what is not HTTP.
    Garbage,
    /// It was not answered.
    Hold,
    /// It was answered by a head alone.
    HoldBody,
    /// Its connection was closed while idle.
    IdleClose,
    /// Its body came byte by byte.
    Drip,
    /// The model's error.
    Error,
    /// The model's silence.
    Timeout,
}

/// All kinds, in the order in which they are written.
const KINDS: [Kind; 16] = [
    Kind::Stall,
    Kind::Pause,
    Kind::SlowStart,
    Kind::Fast,
    Kind::Slow,
    Kind::Loris,
    Kind::Reset,
    Kind::Close,
    Kind::Truncate,
    Kind::Garbage,
    Kind::Hold,
    Kind::HoldBody,
    Kind::IdleClose,
    Kind::Drip,
    Kind::Error,
    Kind::Timeout,
];

/// A set of them. Serialised as a list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Befell(u16);

impl Befell {
    /// Adds one.
    pub fn add(&mut self, kind: Kind) {
        self.0 |= 1 << kind as u16;
    }

    /// Adds those of another.
    pub fn add_all(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether this is among them.
    pub fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// True where nothing befell it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// All of them.
    pub fn kinds(self) -> impl Iterator<Item = Kind> {
        KINDS.into_iter().filter(move |kind| self.has(*kind))
    }
}

impl FromIterator<Kind> for Befell {
    fn from_iter<T: IntoIterator<Item = Kind>>(kinds: T) -> Self {
        let mut befell = Self::default();
        kinds.into_iter().for_each(|kind| befell.add(kind));
        befell
    }
}

impl Serialize for Befell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.kinds())
    }
}

impl<'de> Deserialize<'de> for Befell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Kind>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_names_and_read_again() {
        let all: Befell = KINDS.into_iter().collect();
        assert_eq!(all.kinds().count(), KINDS.len());
        for set in [Befell::default(), all, [Kind::Reset, Kind::SlowStart].into_iter().collect()] {
            let text = serde_json::to_string(&set).unwrap();
            assert_eq!(serde_json::from_str::<Befell>(&text).unwrap(), set, "{text}");
        }
        let text = serde_json::to_string(&Befell::from_iter([Kind::Reset, Kind::SlowStart])).unwrap();
        assert_eq!(text, r#"["slow_start","reset"]"#);
    }
}
