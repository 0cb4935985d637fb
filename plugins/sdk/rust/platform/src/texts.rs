//! Texts to send: chosen by the arrival's seed, so that two runs of one seed send the same, and of one small world, so
//! that a question finds what was ingested.

use std::borrow::Cow;

use engine_sdk::Rng;

const SUBJECTS: [&str; 16] = [
    "the invoice",
    "a refund",
    "the delivery note",
    "a travel expense",
    "the rental contract",
    "a warranty claim",
    "the annual budget",
    "a new supplier",
    "the support ticket",
    "a security incident",
    "the payroll run",
    "a change request",
    "the insurance policy",
    "a customer complaint",
    "the audit report",
    "a purchase order",
];

const EVENTS: [&str; 16] = [
    "is approved",
    "is sent back",
    "needs a second signature",
    "is paid twice",
    "arrives without a number",
    "is cancelled",
    "is moved to another department",
    "exceeds its limit",
    "is archived",
    "lacks an attachment",
    "is corrected by hand",
    "waits for a decision",
    "is translated",
    "is escalated",
    "is opened again",
    "reaches the wrong person",
];

const OCCASIONS: [&str; 16] = [
    "before the end of the month",
    "after the deadline",
    "during the summer holidays",
    "while the auditors are in the house",
    "without the knowledge of the owner",
    "on the first working day",
    "in a branch office abroad",
    "under the new guidelines",
    "because of a typing error",
    "on behalf of the management",
    "in the course of a merger",
    "at the request of the customer",
    "with a partial delivery",
    "through the old system",
    "in a foreign currency",
    "for the second time this year",
];

/// One of the given texts, or a [`question`] where none is given.
pub fn one_of<'a>(given: &'a [String], rng: &mut Rng) -> Cow<'a, str> {
    rng.pick(given).map_or_else(|| question(rng).into(), |text| text.as_str().into())
}

/// A question, one of 4096.
pub fn question(rng: &mut Rng) -> String {
    let [subject, event, occasion] = words(rng);
    format!("What has to be done when {subject} {event} {occasion}?")
}

/// A text of exactly this many bytes of ASCII: sentences, a paragraph of five at a time.
pub fn document(rng: &mut Rng, bytes: usize) -> String {
    // The longest sentence has fewer than 120 bytes.
    let mut text = String::with_capacity(bytes + 128);
    let mut sentences = 0_u32;
    while text.len() < bytes {
        let [subject, event, occasion] = words(rng);
        for part in ["When ", subject, " ", event, " ", occasion, ", "] {
            text.push_str(part);
        }
        let [subject, event, _] = words(rng);
        sentences += 1;
        let end = if sentences.is_multiple_of(5) { ".\n\n" } else { ".\n" };
        for part in [subject, " ", event, end] {
            text.push_str(part);
        }
    }
    text.truncate(bytes);
    text
}

/// One of each, by four bits of a draw.
fn words(rng: &mut Rng) -> [&'static str; 3] {
    let [first, second, third, ..] = rng.next_u64().to_be_bytes();
    let at = |byte: u8| usize::from(byte >> 4);
    [SUBJECTS[at(first)], EVENTS[at(second)], OCCASIONS[at(third)]]
}
