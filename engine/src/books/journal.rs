//! Reads a stub's journal: the format is that of `stub-model/README.md`, section "Books".

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::BooksError;
use super::read::Lines;

/// The version of the format that is read.
const FORMAT: u32 = 1;
const NOT_A_JOURNAL: &str = "give the file that the stub was told by --journal";
const CUT_SHORT: &str = "stop the stub (Ctrl-C) so that it writes the rest, and verify again; one that was killed has lost up to its last second";

/// Clocks on the wall of different machines are set to within this many nanoseconds: an hour.
const OTHERS_APART: u64 = 3_600_000_000_000;

/// One request, as the stub saw it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Seen {
    pub(super) sequence: u64,
    pub(super) arrived_ns: u64,
    pub(super) sent_ns: Option<u64>,
    pub(super) finished_ns: Option<u64>,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) status: Option<u16>,
    pub(super) body_bytes: u64,
    pub(super) complete: bool,
    #[serde(default)]
    pub(super) faults: Vec<String>,
    pub(super) request_id: Option<String>,
}

/// A line that is not a request.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mark {
    Journal(Head),
    Reset(Sums),
    End(Sums),
}

#[derive(Clone, Debug, Deserialize)]
struct Head {
    format: u32,
    boot_id: Option<String>,
    wall_ns: u64,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Sums {
    written: u64,
    lost: u64,
    wall_ns: u64,
}

/// What one start of a stub has written.
#[derive(Clone, Debug, Default)]
struct Section {
    boot_id: Option<String>,
    began_wall_ns: u64,
    /// When it was reset, by the clock on the wall.
    resets: Vec<u64>,
    /// When it ended; none where it was cut off.
    ended_wall_ns: Option<u64>,
    lost: u64,
    seen: Vec<Seen>,
    /// How many of these a sum so far has been of.
    summed: usize,
    /// Lines found and the sum that says otherwise.
    differ: Vec<(u64, u64)>,
}

impl Section {
    /// Takes the sums since its start or the last reset.
    fn sum(&mut self, sums: &Sums) {
        let found = (self.seen.len() - self.summed) as u64;
        self.summed = self.seen.len();
        self.lost += sums.lost;
        if found != sums.written {
            self.differ.push((found, sums.written));
        }
    }
}

/// A stub's journal, as far as it may concern a run.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// The file.
    pub path: PathBuf,
    sections: Vec<Section>,
}

impl Journal {
    /// Reads a journal.
    ///
    /// # Errors
    /// Where it cannot be read, or is something else.
    pub fn load(path: &Path) -> Result<Self, BooksError> {
        let refused = |source| BooksError::Read { path: path.to_owned(), source, help: NOT_A_JOURNAL };
        let file = File::open(path).map_err(refused)?;
        Self::read(path.to_owned(), BufReader::new(file))
    }

    /// Reads the lines of a journal.
    ///
    /// # Errors
    /// As [`Self::load`].
    pub fn read(path: PathBuf, lines: impl BufRead) -> Result<Self, BooksError> {
        let mut sections: Vec<Section> = Vec::new();
        for line in Lines::new(&path, lines, NOT_A_JOURNAL) {
            let (number, text, whole) = line?;
            let wrong =
                |what: String| BooksError::NotBooks { path: path.clone(), line: number, what, help: NOT_A_JOURNAL };
            let read = if text.starts_with(b"{\"sequence\"") {
                serde_json::from_slice(&text).map(Read::Seen)
            } else {
                serde_json::from_slice(&text).map(Read::Mark)
            };
            let line = match read {
                Ok(line) => line,
                // Cut off within a line: there is no last one, which tells.
                Err(_) if !whole && !sections.is_empty() => break,
                Err(error) => return Err(wrong(format!("not a line of a stub's journal: {error}"))),
            };
            match (line, sections.last_mut()) {
                (Read::Mark(Mark::Journal(head)), _) => {
                    if head.format != FORMAT {
                        return Err(BooksError::OtherVersion { path, found: head.format, known: FORMAT });
                    }
                    let (boot_id, began_wall_ns) = (head.boot_id, head.wall_ns);
                    sections.push(Section { boot_id, began_wall_ns, ..Section::default() });
                }
                (_, None) => return Err(wrong("the first line is not that of a stub's journal".to_owned())),
                (Read::Seen(seen), Some(section)) => section.seen.push(seen),
                (Read::Mark(Mark::Reset(sums)), Some(section)) => {
                    section.resets.push(sums.wall_ns);
                    section.sum(&sums);
                }
                (Read::Mark(Mark::End(sums)), Some(section)) => {
                    section.ended_wall_ns = Some(sums.wall_ns);
                    section.sum(&sums);
                }
            }
        }
        if sections.is_empty() {
            let what = "it is empty".to_owned();
            return Err(BooksError::CutShort { path, what, help: NOT_A_JOURNAL });
        }
        Ok(Self { path, sections })
    }

    /// Leaves out what the stub wrote in starts that were over before a run began, at that moment of the clock on the wall
    /// of that boot.
    ///
    /// # Errors
    /// Where the rest was cut short.
    pub(super) fn since(&mut self, wall_ns: u64, boot_id: Option<&str>) -> Result<(), BooksError> {
        let next: Vec<Option<u64>> =
            self.sections.iter().skip(1).map(|section| Some(section.began_wall_ns)).chain([None]).collect();
        let mut next = next.into_iter();
        self.sections.retain(|section| {
            let next = next.next().flatten();
            let over = section.ended_wall_ns.or(next);
            // Another machine's clock on the wall may be wrong.
            let margin = if section.boot_id.as_deref() == boot_id { 0 } else { OTHERS_APART };
            over.is_none_or(|over| over.saturating_add(margin) >= wall_ns)
        });
        match self.sections.iter().find(|section| section.ended_wall_ns.is_none()) {
            None => Ok(()),
            Some(section) => Err(BooksError::CutShort {
                path: self.path.clone(),
                what: format!("its last line, with the sums, is missing after {} requests", section.seen.len()),
                help: CUT_SHORT,
            }),
        }
    }

    /// Its requests.
    pub(super) fn seen(&self) -> impl Iterator<Item = &Seen> {
        self.sections.iter().flat_map(|section| &section.seen)
    }

    /// Lines that it lacks because the disk could not keep up.
    pub(super) fn lost(&self) -> u64 {
        self.sections.iter().map(|section| section.lost).sum()
    }

    /// Where it has other lines than its own sums say: how many there are, and the sum.
    pub(super) fn sums_that_differ(&self) -> impl Iterator<Item = (u64, u64)> {
        self.sections.iter().flat_map(|section| section.differ.iter().copied())
    }

    /// How often it was reset after that moment of the clock on the wall: what was open then has no line.
    pub(super) fn resets_since(&self, wall_ns: u64) -> usize {
        self.sections.iter().flat_map(|section| &section.resets).filter(|&&reset| reset >= wall_ns).count()
    }

    /// Whether all of it is on the clock of that boot.
    pub(super) fn is_of_boot(&self, boot_id: Option<&str>) -> bool {
        boot_id.is_some() && self.sections.iter().all(|section| section.boot_id.as_deref() == boot_id)
    }
}

enum Read {
    Seen(Seen),
    Mark(Mark),
}
