//! The text of a manifest.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

/// The most bytes of a manifest: who wrote more has given another file.
const LONGEST: u64 = 1 << 20;
/// What editors of some systems put before a text.
const MARK: char = '\u{feff}';

/// Reads a manifest, without a mark of its encoding.
///
/// # Errors
/// What is wrong with the file.
pub(crate) fn read(file: &Path) -> Result<String, String> {
    // Asked before it is opened: a pipe would wait for a writer.
    let found = fs::metadata(file).map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut text = String::new();
    let opened = File::open(file).and_then(|opened| opened.take(LONGEST + 1).read_to_string(&mut text));
    // A cut in the middle of a character is no fault of the text's.
    if found.len() > LONGEST || text.len() as u64 > LONGEST {
        return Err("it has more than 1 MiB".to_owned());
    }
    opened.map_err(|error| error.to_string())?;
    if text.starts_with(MARK) {
        text.remove(0);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_a_short_text_in_a_regular_file() {
        let place = tempfile::tempdir().expect("a folder");
        let file = place.path().join("package.json");
        let read_of = |bytes: &[u8]| {
            fs::write(&file, bytes).expect("written");
            read(&file)
        };
        assert_eq!(read_of("\u{feff}{}".as_bytes()), Ok("{}".to_owned()));
        assert_eq!(read_of(&b" ".repeat(1 << 20)).map(|text| text.len()), Ok(1 << 20));
        assert_eq!(read_of(&b" ".repeat((1 << 20) + 1)), Err("it has more than 1 MiB".to_owned()));
        assert_eq!(read_of(&[0xff]), Err("stream did not contain valid UTF-8".to_owned()));
        assert_eq!(read(place.path()), Err("it is no regular file".to_owned()));
        assert_eq!(read(&place.path().join("none")), Err("No such file or directory (os error 2)".to_owned()));
    }
}
