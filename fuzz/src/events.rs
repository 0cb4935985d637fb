//! Arbitrary bytes, in arbitrary pieces, into the decoders of streams: what comes out does not depend on where they were
//! cut, is what a plain reading of the standard gives, and keeps its bounds.

use arbitrary::{Result, Unstructured};
use engine::client::fuzzing::{decoded, events, lines, unpacked};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use std::io::Write;

use crate::pieces::cut;

/// The most bytes of an event's lines, and of a line.
const MOST: usize = 1024 * 1024;
/// The longest stream that is made of an input.
const LONGEST: usize = 3 * MOST / 2;

/// What is done with the bytes.
struct Input<'a> {
    /// Which decoder, and how the bytes are made.
    what: u8,
    /// Where they are cut, twice over.
    seeds: [u16; 2],
    bytes: &'a [u8],
}

fn read(data: &[u8]) -> Result<Input<'_>> {
    let mut u = Unstructured::new(data);
    Ok(Input { what: u.arbitrary()?, seeds: u.arbitrary()?, bytes: u.take_rest() })
}

/// One input: a byte that says what, four that say where the cuts are, and the bytes of the stream.
///
/// # Panics
/// On a finding.
pub fn run(data: &[u8]) {
    let Ok(input) = read(data) else { return };
    let bytes = match input.what >> 4 {
        // Long ones, which no mutation would make: to come near the bounds.
        count @ 1..8 => input.bytes.repeat(1 << (2 * count)),
        _ => input.bytes.to_vec(),
    };
    // What is packed first, by three encoders, takes longest.
    let longest = if input.what % 4 == 3 { LONGEST / 16 } else { LONGEST };
    if bytes.len() > longest {
        return;
    }
    match input.what % 4 {
        0 => check_events(&bytes, input.seeds),
        1 => check_lines(&bytes, input.seeds),
        2 => check_corrupt(&bytes, input.seeds),
        _ => check_packed(&bytes, input.seeds),
    }
}

/// An event as it is compared: type, data, id.
type Event = (String, String, String);

fn check_events(bytes: &[u8], seeds: [u16; 2]) {
    let decoded = |seed| {
        events(cut(bytes, seed)).map(|events| {
            let plain = |event: &engine::pieces::ServerSentEvent| {
                (event.kind().to_owned(), event.data.clone(), event.id.to_string())
            };
            events.iter().map(plain).collect::<Vec<Event>>()
        })
    };
    let [one, other] = seeds.map(decoded);
    assert_eq!(one, other, "cut by {seeds:?}");
    match one {
        // No data is longer than the lines it came in; a byte that is no UTF-8 takes three.
        Ok(events) => {
            assert!(events.iter().all(|(_, data, _)| data.len() <= 3 * MOST));
            assert_eq!(events, by_the_standard(bytes));
        }
        Err(failure) => {
            assert_eq!(failure.reason.as_str(), "body_too_large");
            assert!(bytes.len() > MOST, "{} bytes refused: {failure}", bytes.len());
        }
    }
}

/// WHATWG's HTML standard, 9.2.6, word for word and all at once.
fn by_the_standard(bytes: &[u8]) -> Vec<Event> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let (mut kind, mut data, mut id) = (String::new(), String::new(), String::new());
    let mut all = Vec::new();
    let mut lines: Vec<&str> = text.split('\n').collect();
    // What has no end is no line.
    lines.pop();
    for line in lines {
        if line.is_empty() {
            if let Some(whole) = data.strip_suffix('\n') {
                let kind = if kind.is_empty() { "message" } else { &kind };
                all.push((kind.to_owned(), whole.to_owned(), id.clone()));
            }
            kind.clear();
            data.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut kind),
            "data" => {
                data.push_str(value);
                data.push('\n');
            }
            "id" if !value.contains('\0') => value.clone_into(&mut id),
            _ => {}
        }
    }
    all
}

fn check_lines(bytes: &[u8], seeds: [u16; 2]) {
    let [one, other] = seeds.map(|seed| lines(cut(bytes, seed)));
    assert_eq!(one, other, "cut by {seeds:?}");
    match one {
        Ok(lines) => {
            let plain = bytes.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            let plain: Vec<_> =
                plain.filter(|line| !line.is_empty()).map(|line| String::from_utf8_lossy(line).into_owned()).collect();
            assert_eq!(lines, plain);
        }
        Err(failure) => {
            assert_eq!(failure.reason.as_str(), "body_too_large");
            assert!(bytes.split(|&byte| byte == b'\n').any(|line| line.len() > MOST), "{failure}");
        }
    }
}

/// Bytes that claim to be coded.
fn check_corrupt(bytes: &[u8], seeds: [u16; 2]) {
    for coding in ["gzip", "deflate"] {
        let [one, other] = seeds.map(|seed| unpacked(coding, cut(bytes, seed)));
        match (&one, &other) {
            (Ok(one), Ok(other)) => assert!(one == other, "{coding} cut by {seeds:?}"),
            (Err(one), Err(other)) => {
                for failure in [one, other] {
                    assert!(matches!(failure.reason.as_str(), "decode" | "body_too_large"), "{failure}");
                }
            }
            // A large piece may unpack to more than is allowed of one, where its parts do not.
            (Err(failure), Ok(_)) | (Ok(_), Err(failure)) => {
                assert_eq!(failure.reason.as_str(), "body_too_large", "{coding} cut by {seeds:?}: {failure}");
            }
        }
        let whole = decoded(coding, bytes, MOST);
        assert!(whole.as_ref().is_ok_and(|body| body.len() <= MOST) || whole.is_err());
    }
    assert!(unpacked("br", cut(bytes, seeds[0])).is_err());
}

/// Bytes that are coded by somebody else's hand.
fn check_packed(bytes: &[u8], seeds: [u16; 2]) {
    let level = Compression::fast();
    let gzip = written(GzEncoder::new(Vec::new(), level), bytes, GzEncoder::finish);
    let zlib = written(ZlibEncoder::new(Vec::new(), level), bytes, ZlibEncoder::finish);
    let bare = written(DeflateEncoder::new(Vec::new(), level), bytes, DeflateEncoder::finish);
    for (coding, packed) in [("gzip", gzip), ("deflate", zlib), ("deflate", bare)] {
        for seed in seeds {
            let came = unpacked(coding, cut(&packed, seed)).expect("it is well coded");
            assert!(came == bytes, "{coding} cut by {seed}");
        }
        assert_eq!(decoded(coding, &packed, bytes.len()).as_deref(), Ok(bytes));
        // One byte less allowed is one too few.
        if let Some(less) = bytes.len().checked_sub(1) {
            let failure = decoded(coding, &packed, less).expect_err("over the limit");
            assert_eq!(failure.reason.as_str(), "body_too_large");
        }
    }
}

fn written<W: Write>(mut encoder: W, bytes: &[u8], finish: fn(W) -> std::io::Result<Vec<u8>>) -> Vec<u8> {
    encoder.write_all(bytes).and_then(|()| finish(encoder)).expect("in memory")
}
