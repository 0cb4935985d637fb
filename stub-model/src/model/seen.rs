//! What the last requests said, so that somebody can check that a text sent through a platform arrived here.

use std::collections::VecDeque;

/// Most requests kept.
const REQUESTS: usize = 4_096;

/// Most bytes kept of all.
const BYTES: usize = 32 * 1024 * 1024;

/// The texts of the last requests.
#[derive(Debug, Default)]
pub(super) struct Seen {
    texts: VecDeque<Box<str>>,
    bytes: usize,
}

impl Seen {
    /// Keeps the text of a request; the oldest make room.
    pub(super) fn keep(&mut self, text: String) {
        self.bytes += text.len();
        self.texts.push_back(text.into_boxed_str());
        while self.texts.len() > REQUESTS || self.bytes > BYTES {
            let Some(oldest) = self.texts.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }

    /// How many of them contain this.
    pub(super) fn count(&self, part: &str) -> usize {
        self.texts.iter().filter(|text| text.contains(part)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_make_room_by_number_and_by_size() {
        let mut seen = Seen::default();
        for k in 0..=REQUESTS {
            seen.keep(format!("request {k}."));
        }
        assert_eq!((seen.count("request 0."), seen.count("request 1."), seen.count("request ")), (0, 1, REQUESTS));
        seen.keep("x".repeat(BYTES));
        assert_eq!((seen.count("request "), seen.count("xx")), (0, 1));
        seen.keep("y".repeat(BYTES + 1));
        assert_eq!(seen.texts.len(), 0);
    }
}
