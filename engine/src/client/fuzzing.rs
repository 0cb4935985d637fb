//! Doors for the fuzz targets in `fuzz/` and for benches to the parts that write a head and cut a body into what is handed
//! over. No promise, no other use.

use http::{HeaderMap, HeaderValue, header};

use super::Failure;
use super::decode::{Coding, decode};
use super::events::Events;
use super::inflate::Inflate;
use super::lines::Lines;
use super::request::{Request, check, encode_head};
use crate::pieces::ServerSentEvent;

/// The head of a request as it goes over the wire, after the check that it can be sent.
///
/// # Errors
/// What keeps it from being sent, in words.
pub fn head(request: &Request, host: &str) -> Result<Vec<u8>, String> {
    let facts = check(request)?;
    let mut head = Vec::new();
    encode_head(&mut head, request, facts, "", host, None);
    Ok(head)
}

/// The events of a stream that comes in these pieces.
///
/// # Errors
/// An event beyond its bound.
pub fn events<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<ServerSentEvent>, Failure> {
    let mut decoder = Events::new();
    let mut all = Vec::new();
    for piece in pieces {
        all.extend(decoder.push(piece)?);
    }
    Ok(all)
}

/// The lines of a body that comes in these pieces.
///
/// # Errors
/// A line beyond its bound.
pub fn lines<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<String>, Failure> {
    let mut decoder = Lines::new();
    let mut all = Vec::new();
    for piece in pieces {
        all.extend(decoder.push(piece)?);
    }
    all.extend(decoder.rest());
    Ok(all)
}

/// What a body unpacks to that comes in these pieces, with `coding` as its `content-encoding`.
///
/// # Errors
/// An unknown coding, a corrupt or unfinished stream, a piece that unpacks to more than is allowed.
pub fn unpacked<'a>(coding: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<u8>, Failure> {
    let Some(mut decoder) = Inflate::new(named(coding))? else {
        return Ok(pieces.into_iter().flatten().copied().collect());
    };
    let mut all = Vec::new();
    for piece in pieces {
        all.append(&mut decoder.push(piece)?);
    }
    all.append(&mut decoder.finish()?);
    Ok(all)
}

/// What a whole body unpacks to, at most `limit` bytes.
///
/// # Errors
/// A corrupt or unfinished body, or one that unpacks to more.
pub fn decoded(coding: &str, body: &[u8], limit: usize) -> Result<Vec<u8>, Failure> {
    decode(&named(coding), body, limit).map(|bytes| bytes.to_vec())
}

fn named(coding: &str) -> Coding {
    let mut fields = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(coding) {
        fields.insert(header::CONTENT_ENCODING, value);
    }
    Coding::of(&fields)
}
