//! Lengths of time and sizes, as people write them.

use std::time::Duration;

use bytesize::ByteSize;
use serde::Serializer;

/// A length of time such as `"30s"`, `"1m30s"` or `"50ms"`; `None` for anything else.
pub(super) fn duration(text: &str) -> Option<Duration> {
    humantime::parse_duration(text).ok()
}

/// A length of time as people write it: `1m 30s`.
pub(super) fn show_duration(duration: Duration) -> String {
    humantime::format_duration(duration).to_string()
}

/// A number of bytes such as `"64MiB"` or `"500kB"`; `None` for anything else.
pub(super) fn bytes(text: &str) -> Option<u64> {
    text.parse::<ByteSize>().ok().map(|size| size.as_u64())
}

/// A number of bytes as people write it: `64MiB`.
pub(super) fn show_bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = UNITS.iter().find(|(size, _)| bytes >= *size && bytes.is_multiple_of(*size));
    unit.map_or_else(|| format!("{bytes}B"), |(size, name)| format!("{}{name}", bytes / size))
}

/// Serializes a duration as a number of seconds.
pub(super) fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

/// Serializes a duration that may be absent as a number of seconds.
#[expect(clippy::ref_option, reason = "the signature serde asks for")]
pub(super) fn seconds_if_set<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match duration {
        Some(duration) => seconds(duration, serializer),
        None => serializer.serialize_none(),
    }
}
