//! `/echo?fields=1`: the request as it was received.

use bytes::Bytes;
use hyper::http::request::Parts;
use serde::Serialize;

/// Room for fields while a head is parsed again.
const FIELDS: usize = crate::server::MAX_FIELDS;

/// A request, described. Bytes that are not text are mapped one to one to U+0000 to U+00FF.
#[derive(Debug, Serialize)]
struct Seen<'a> {
    method: &'a str,
    path: &'a str,
    query: Option<&'a str>,
    /// True where names have their original capitalisation and all fields their order; otherwise names are in lower
    /// case and fields of one name stand together.
    original: bool,
    fields: Vec<(String, String)>,
    body: String,
    /// `utf-8`, or `bytes` where the body was mapped.
    body_encoding: &'static str,
}

/// Describes a request as JSON. `head` is what came off the wire, which is believed where it matches.
pub(super) fn describe(parts: &Parts, head: &[u8], body: &Bytes) -> Bytes {
    let original = original_fields(parts, head);
    let text = std::str::from_utf8(body);
    let seen = Seen {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        query: parts.uri.query(),
        original: original.is_some(),
        fields: original.unwrap_or_else(|| {
            parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), mapped(value.as_bytes()))).collect()
        }),
        body_encoding: if text.is_ok() { "utf-8" } else { "bytes" },
        body: text.map_or_else(|_| mapped(body), str::to_owned),
    };
    // Cannot fail: strings only.
    serde_json::to_vec(&seen).unwrap_or_default().into()
}

/// The fields as they were written, where the head is certainly this request's.
fn original_fields(parts: &Parts, head: &[u8]) -> Option<Vec<(String, String)>> {
    let mut room = vec![httparse::EMPTY_HEADER; FIELDS];
    let mut request = httparse::Request::new(&mut room);
    request.parse(head).ok()?;
    let same_target = request.path == Some(parts.uri.path_and_query()?.as_str());
    let same_fields = request.headers.len() == parts.headers.len()
        && request
            .headers
            .iter()
            .all(|field| parts.headers.get_all(field.name).iter().any(|value| value.as_bytes() == field.value));
    (request.method == Some(parts.method.as_str()) && same_target && same_fields)
        .then(|| request.headers.iter().map(|field| (field.name.to_owned(), mapped(field.value))).collect())
}

/// Bytes as the characters of the same number.
fn mapped(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}
