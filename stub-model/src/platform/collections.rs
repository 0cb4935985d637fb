//! Collections of texts that are searched by nearness.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

/// The collection without texts.
pub const EMPTY: &str = "empty";

/// Most texts of a collection beside those it began with; the oldest are dropped first. A search looks at all of them.
const MOST: usize = 1_000;

/// Most characters of a text that are kept.
const MOST_CHARACTERS: usize = 4_096;

/// What the first collection begins with.
const HANDBOOK: [(&str, &str); 16] = [
    (
        "Passwords",
        "To reset a password, open the sign-in page and choose 'Forgot password'. The link is valid for one hour.",
    ),
    (
        "Two factors",
        "Every account needs a second factor. Use an authenticator app or a security key, not text messages.",
    ),
    ("Holidays", "Employees have thirty days of holiday a year. Ask your manager two weeks before the first day off."),
    ("Sick leave", "Report sick leave before nine in the morning. A doctor's note is needed from the fourth day on."),
    ("Remote work", "Remote work is possible on three days a week. Team days on Tuesday are spent at the office."),
    ("Travel", "Book trips through the travel portal. Trains are preferred to planes for less than five hours."),
    ("Expenses", "Hand in expenses with receipts within thirty days. They are paid with the next salary."),
    ("Laptops", "A new laptop can be ordered every three years. Old ones go back to the service desk to be wiped."),
    (
        "Incidents",
        "Report an incident in the channel 'incidents' at once. The person on call answers within ten minutes.",
    ),
    ("On call", "On-call shifts last a week. Each week is followed by one day off that is taken within a month."),
    ("Deployments", "Deployments happen on working days before four. A rollback must be possible within five minutes."),
    (
        "Databases",
        "Every service has its own database and connection pool. Long transactions are found in the slow log.",
    ),
    ("Backups", "Backups are made every night and kept for ninety days. Restoring one is practised every quarter."),
    ("Reviews", "Every change is reviewed by one other engineer. Small changes are reviewed within a day."),
    ("Customers", "Customer data never leaves the production network. Requests for exports go to the privacy team."),
    ("Cafeteria", "The cafeteria serves lunch from noon to two. The weekly menu is published on Monday."),
];

/// A text with its vector.
#[derive(Debug, Clone)]
pub(super) struct Document {
    id: String,
    title: String,
    text: String,
    vector: Rc<[f32]>,
}

impl Document {
    /// A text of a file.
    pub(super) fn new(id: String, title: String, text: &str, vector: Vec<f32>) -> Self {
        Self { id, title, text: text.chars().take(MOST_CHARACTERS).collect(), vector: vector.into() }
    }
}

/// One collection.
#[derive(Debug, Default)]
pub(super) struct Collection {
    /// What it began with; vectors come with the first search.
    first: &'static [(&'static str, &'static str)],
    pub(super) first_vectors: OnceCell<Vec<Rc<[f32]>>>,
    added: RefCell<VecDeque<Document>>,
}

impl Collection {
    /// Texts in it.
    pub(super) fn len(&self) -> usize {
        self.first.len() + self.added.borrow().len()
    }

    /// The texts it began with.
    pub(super) fn first_texts(&self) -> Vec<String> {
        self.first.iter().map(|(_, text)| (*text).to_owned()).collect()
    }

    /// Adds texts.
    pub(super) fn add(&self, documents: Vec<Document>) {
        let mut added = self.added.borrow_mut();
        added.extend(documents);
        let over = added.len().saturating_sub(MOST);
        added.drain(..over);
    }

    /// The `limit` nearest texts, nearest first.
    pub(super) fn nearest(&self, query: &[f32], limit: usize) -> Vec<Value> {
        let first = self.first_vectors.get().map_or(&[][..], Vec::as_slice);
        let first = self.first.iter().zip(first).enumerate().map(|(k, ((title, text), vector))| {
            let id = format!("handbook-{}", k + 1);
            (nearness(query, vector), id, (*title).to_owned(), (*text).to_owned())
        });
        let added = self.added.borrow();
        let added = added.iter().map(|document| {
            let Document { id, title, text, vector } = document;
            (nearness(query, vector), id.clone(), title.clone(), text.clone())
        });
        let mut all: Vec<_> = first.chain(added).collect();
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        all.truncate(limit);
        all.into_iter()
            .map(|(score, id, title, content)| json!({"id": id, "title": title, "content": content, "score": score}))
            .collect()
    }
}

/// The cosine of two unit vectors.
fn nearness(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// All collections, by name.
#[derive(Debug)]
pub(super) struct Collections(HashMap<String, Rc<Collection>>);

impl Collections {
    /// One of this name with texts, and an empty one.
    pub(super) fn new(name: &str) -> Self {
        let full = Collection { first: &HANDBOOK, ..Collection::default() };
        let empty = (EMPTY.to_owned(), Rc::default());
        // The full one wins where somebody calls it so.
        Self([empty, (name.to_owned(), Rc::new(full))].into())
    }

    /// The collection of this name.
    pub(super) fn get(&self, name: &str) -> Option<Rc<Collection>> {
        self.0.get(name).map(Rc::clone)
    }

    /// The list of them, by name.
    pub(super) fn list(&self) -> Value {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(name, _)| *name);
        let items: Vec<Value> = all.into_iter().map(|(name, collection)| described(name, collection)).collect();
        json!({"items": items, "total": items.len()})
    }
}

/// One collection, as the API shows it.
pub(super) fn described(name: &str, collection: &Collection) -> Value {
    json!({"name": name, "document_count": collection.len()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_the_oldest_make_room() {
        let collection = Collection::default();
        let document = |k: usize, vector: [f32; 2]| Document::new(k.to_string(), String::new(), "", vector.into());
        collection.add(vec![document(0, [1.0, 0.0]), document(1, [0.0, 1.0]), document(2, [0.6, 0.8])]);
        let ids = |limit| -> Vec<Value> {
            collection.nearest(&[1.0, 0.0], limit).into_iter().map(|mut result| result["id"].take()).collect()
        };
        assert_eq!(ids(5), ["0", "2", "1"]);
        assert_eq!(ids(1), ["0"]);
        collection.add((3..=MOST).map(|k| document(k, [-1.0, 0.0])).collect());
        assert_eq!((collection.len(), ids(1)), (MOST, vec![Value::from("2")]));
    }
}
