//! Names and reasons that come from plugins, kept within bounds.

use std::collections::HashMap;

/// At most this many different names of requests per workload; the rest are counted under [`OTHER`].
pub const MOST_NAMES: usize = 100;

/// At most this many different failure reasons per workload; the rest are counted under [`OTHER`].
pub const MOST_REASONS: usize = 50;

/// What stands for everything past those bounds.
pub const OTHER: &str = "other";

/// How many different free texts one recorder keeps. More than a report shows, so that the texts a report shows are the
/// most frequent of the whole run and not those that some worker happened to see first.
const MOST_TEXTS_KEPT: usize = 500;

/// A named request of one workload in one recorder. Ids of different recorders have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(pub(super) u16);

impl NameId {
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The names of one workload's requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    ids: HashMap<Box<str>, NameId>,
    names: Vec<Box<str>>,
}

impl Names {
    /// The id of a name; that of [`OTHER`] where there are [`MOST_NAMES`] already.
    pub(super) fn id(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        if self.names.len() >= MOST_NAMES {
            return self.id_unbounded(OTHER);
        }
        self.id_unbounded(name)
    }

    /// The id of a name, without a bound but that of the type: for merging, where each recorder brings at most its own.
    pub(super) fn id_unbounded(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = NameId(u16::try_from(self.names.len()).unwrap_or(u16::MAX));
        self.ids.insert(name.into(), id);
        self.names.push(name.into());
        id
    }

    /// All names; a name's position is its id.
    pub(super) fn all(&self) -> &[Box<str>] {
        &self.names
    }
}

/// Whether a reason is of a plugin's or library's own wording. All other reasons are of the engine's fixed list.
pub fn is_free_text(reason: &str) -> bool {
    reason.starts_with("check:") || reason.starts_with("other:")
}

/// The free texts one workload has failed with.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts(usize);

impl Texts {
    /// The text to count a reason under that is not known yet.
    pub(super) fn admit<'a>(&mut self, reason: &'a str) -> &'a str {
        if !is_free_text(reason) {
            return reason;
        }
        if self.0 >= MOST_TEXTS_KEPT {
            return OTHER;
        }
        self.0 += 1;
        reason
    }
}
