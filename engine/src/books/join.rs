//! Both sides' lines, set beside each other by id.

use std::collections::HashMap;

use super::journal::Seen;
use super::{Journal, Request};

/// What goes by one id.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    pub(super) id: &'a str,
    /// The engine's exchanges; more than one only where a plugin gave them the same id.
    pub(super) requests: Vec<&'a Request<'static>>,
    /// Requests at the stub, in the order of arrival.
    pub(super) seen: Vec<&'a Seen>,
}

/// Both sides.
#[derive(Debug, Default)]
pub(super) struct Joined<'a> {
    /// By id, in the engine's order.
    pub(super) groups: Vec<Group<'a>>,
    /// Exchanges without an id that can be joined by.
    pub(super) nameless: Vec<&'a Request<'static>>,
    /// At the stub, by an id of this run that the engine has not recorded.
    pub(super) unknown: Vec<&'a Seen>,
    /// At the stub, without an id.
    pub(super) without_id: u64,
    /// At the stub, by an id that is not of this run.
    pub(super) of_others: u64,
}

/// Joins what the engine of a run has recorded with what stubs have.
pub(super) fn join<'a>(run: &str, requests: &'a [Request<'static>], journals: &'a [Journal]) -> Joined<'a> {
    let mut joined = Joined::default();
    let mut places: HashMap<&str, usize> = HashMap::with_capacity(requests.len());
    for request in requests {
        let Some(id) = request.id.as_deref() else {
            joined.nameless.push(request);
            continue;
        };
        let place = *places.entry(id).or_insert(joined.groups.len());
        if place == joined.groups.len() {
            joined.groups.push(Group { id, ..Group::default() });
        }
        joined.groups[place].requests.push(request);
    }
    for seen in journals.iter().flat_map(Journal::seen) {
        let Some(id) = seen.request_id.as_deref() else {
            joined.without_id += 1;
            continue;
        };
        if let Some(&place) = places.get(id) {
            joined.groups[place].seen.push(seen);
        } else if id.strip_prefix(run).is_some_and(|rest| rest.starts_with('-')) {
            joined.unknown.push(seen);
        } else {
            joined.of_others += 1;
        }
    }
    for group in &mut joined.groups {
        group.seen.sort_by_key(|seen| seen.arrived_ns);
    }
    joined
}
