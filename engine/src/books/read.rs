//! Reads `requests.jsonl` back.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::{Arrival, BooksError, End, FORMAT, Head, Line, REQUESTS_FILE, Request};

const NOT_OURS: &str = "give the results folder of a run with --requests, as the run has left it";
const CUT_SHORT: &str =
    "nothing can be said of what is missing; run again, and let the engine end by itself or by one Ctrl-C";

/// The engine's books of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Books {
    /// The file.
    pub path: PathBuf,
    /// Whose they are.
    pub head: Head,
    /// Exchanges, in the order in which each worker's ended.
    pub requests: Vec<Request<'static>>,
    /// Arrivals, likewise.
    pub arrivals: Vec<Arrival<'static>>,
    /// The sums the file ends with.
    pub end: End,
}

impl Books {
    /// Reads the books in a results folder.
    ///
    /// # Errors
    /// Where there are none, or they are cut short or something else.
    pub fn load(folder: &Path) -> Result<Self, BooksError> {
        let path = folder.join(REQUESTS_FILE);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(BooksError::NoRequests(folder.to_owned())),
            Err(source) => return Err(BooksError::Read { path, source, help: NOT_OURS }),
        };
        Self::read(path, BufReader::new(file))
    }

    /// Reads the lines of such a file.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn read(path: PathBuf, lines: impl BufRead) -> Result<Self, BooksError> {
        let (mut head, mut requests, mut arrivals, mut end) = (None, Vec::new(), Vec::new(), None);
        let lines = Lines::new(&path, lines, NOT_OURS);
        for line in lines {
            let (number, text, whole) = line?;
            let wrong = |what: String| BooksError::NotBooks { path: path.clone(), line: number, what, help: NOT_OURS };
            if end.is_some() {
                return Err(wrong("there is more after the last line".to_owned()));
            }
            match serde_json::from_slice::<Line<'static>>(&text) {
                Ok(Line::Requests(found)) if head.is_none() => {
                    if found.format != FORMAT {
                        return Err(BooksError::OtherVersion { path, found: found.format, known: FORMAT });
                    }
                    head = Some(found);
                }
                Ok(Line::Requests(_)) => return Err(wrong("a second first line".to_owned())),
                Ok(_) if head.is_none() => return Err(wrong("the first line is not that of a run".to_owned())),
                Ok(Line::Request(request)) => requests.push(request),
                Ok(Line::Arrival(arrival)) => arrivals.push(arrival),
                Ok(Line::End(sums)) => end = Some(sums),
                Err(_) if !whole && head.is_some() => break,
                Err(error) => return Err(wrong(format!("not a line of it: {error}"))),
            }
        }
        let cut = |what: &str| BooksError::CutShort { path: path.clone(), what: what.to_owned(), help: CUT_SHORT };
        let head = head.ok_or_else(|| cut("it is empty"))?;
        let end = end.ok_or_else(|| cut("its last line, with the sums, is missing"))?;
        Ok(Self { path, head, requests, arrivals, end })
    }
}

/// No line of ours is longer.
const LONGEST: u64 = 1 << 20;

/// Lines with their numbers, and whether they have an end.
pub(super) struct Lines<'a, R> {
    path: &'a Path,
    input: R,
    number: u64,
    help: &'static str,
}

impl<'a, R: BufRead> Lines<'a, R> {
    pub(super) fn new(path: &'a Path, input: R, help: &'static str) -> Self {
        Self { path, input, number: 0, help }
    }
}

impl<R: BufRead> Iterator for Lines<'_, R> {
    type Item = Result<(u64, Vec<u8>, bool), BooksError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        self.number += 1;
        match self.input.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(read) if read as u64 == LONGEST => {
                let source = std::io::Error::other(format!("line {} has no end within 1 MiB", self.number));
                Some(Err(BooksError::Read { path: self.path.to_owned(), source, help: self.help }))
            }
            Ok(_) => {
                let whole = line.last() == Some(&b'\n');
                Some(Ok((self.number, line, whole)))
            }
            Err(source) => {
                let path = self.path.to_owned();
                Some(Err(BooksError::Read { path, source, help: self.help }))
            }
        }
    }
}
