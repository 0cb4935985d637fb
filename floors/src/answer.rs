//! Where an answer ends, read from its head.

use anyhow::{Context, Result, ensure};
use httparse::{EMPTY_HEADER, Response};

/// Fields of a head, at most.
const FIELDS: usize = 32;

/// Bytes of the whole answer whose beginning this is; none while its head is not whole.
///
/// # Errors
/// It is no HTTP, its status is not 200, or it does not tell its length.
pub(crate) fn length(bytes: &[u8]) -> Result<Option<usize>> {
    let mut fields = [EMPTY_HEADER; FIELDS];
    let mut head = Response::new(&mut fields);
    let httparse::Status::Complete(end) = head.parse(bytes)? else { return Ok(None) };
    ensure!(head.code == Some(200), "the status is {}", head.code.unwrap_or(0));
    let field = head.headers.iter().find(|field| field.name.eq_ignore_ascii_case("content-length"));
    let length = field.and_then(|field| std::str::from_utf8(field.value).ok()?.parse::<usize>().ok());
    Ok(Some(end + length.context("the answer does not tell its length")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_with_its_body() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(length(answer).unwrap(), Some(answer.len()));
        assert_eq!(length(&answer[..answer.len() - 3]).unwrap(), Some(answer.len()));
        assert_eq!(length(&answer[..answer.len() - 4]).unwrap(), None);
        assert_eq!(length(b"").unwrap(), None);
    }

    #[test]
    fn another_status_no_length_and_no_http_are_errors() {
        for answer in
            [&b"HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"[..], b"HTTP/1.1 200 OK\r\n\r\n", b"\x01\x02 no http"]
        {
            assert!(length(answer).is_err());
        }
    }
}
