//! A chat completion: which words it has, when each is due, and how it is written as a whole or as events.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::fate::Fate;
use super::request::Chat;
use super::{Behaviour, FINGERPRINT};

/// What an answer is made of.
const WORDS: [&str; 32] = [
    "the", "answer", "depends", "on", "what", "you", "measure", "and", "when", "a", "service", "under", "load",
    "tells", "more", "than", "one", "at", "rest", "so", "first", "look", "for", "queues", "then", "pools", "then",
    "slow", "queries", "in", "every", "layer",
];

/// When the tokens of one answer are due.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    next: Instant,
    made: u64,
    fate: Fate,
    gap: Duration,
    jitter: f64,
}

impl Schedule {
    /// The first token is due about `first_token` after `start`, each further one about `token` after the one before.
    pub(super) fn new(start: Instant, fate: Fate, behaviour: &Behaviour) -> Self {
        let next = start + behaviour.first_token.mul_f64(fate.stretch(0, behaviour.jitter));
        Self { next, made: 0, fate, gap: behaviour.token, jitter: behaviour.jitter }
    }

    /// When the next token is due.
    pub(super) fn due(&self) -> Instant {
        self.next
    }

    /// Goes on to the token after it.
    pub(super) fn advance(&mut self) {
        self.made += 1;
        self.next += self.gap.mul_f64(self.fate.stretch(self.made, self.jitter));
    }
}

/// What one answer says, whatever its form.
#[derive(Debug)]
pub(super) struct Completion {
    id: String,
    created: u64,
    model: String,
    prompt_tokens: u64,
    fate: Fate,
    /// Tokens it has.
    pub(super) tokens: u64,
    /// Why it ends.
    pub(super) finish_reason: &'static str,
}

impl Completion {
    /// Decides what a request is answered.
    pub(super) fn new(chat: &Chat, fate: Fate, behaviour: &Behaviour) -> Self {
        let all = u64::from(behaviour.tokens);
        let tokens = chat.max_tokens.map_or(all, |most| most.min(all));
        Self {
            id: format!("chatcmpl-{:016x}", fate.key),
            created: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            model: chat.model.clone(),
            prompt_tokens: chat.prompt_tokens,
            fate,
            tokens,
            finish_reason: if tokens < all { "length" } else { "stop" },
        }
    }

    /// The `k`-th token: a word, with a space before all but the first.
    pub(super) fn token(&self, k: u64) -> (&'static str, &'static str) {
        let word = usize::try_from(self.fate.word(k) % WORDS.len() as u64).unwrap_or(0);
        (if k == 0 { "" } else { " " }, WORDS[word])
    }

    /// What was used.
    pub(super) fn usage(&self) -> Value {
        json!({
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.tokens,
            "total_tokens": self.prompt_tokens + self.tokens,
        })
    }

    /// The whole answer.
    pub(super) fn whole(&self) -> Value {
        let content: String = (0..self.tokens).flat_map(|k| <[_; 2]>::from(self.token(k))).collect();
        json!({
            "id": self.id,
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "system_fingerprint": FINGERPRINT,
            "choices": [{
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": null},
                "logprobs": null,
                "finish_reason": self.finish_reason,
            }],
            "usage": self.usage(),
        })
    }

    /// The start of every event, up to its choices.
    pub(super) fn event_start(&self) -> String {
        let head = json!({
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
            "system_fingerprint": FINGERPRINT,
        });
        let mut start = format!("data: {head}");
        // The object goes on.
        start.pop();
        start
    }
}

#[cfg(test)]
mod tests {
    use super::super::fate::Fates;
    use super::*;

    fn completion(max_tokens: Option<u64>) -> Completion {
        let chat = Chat {
            model: "m".to_owned(),
            text: String::new(),
            prompt_tokens: 7,
            stream: false,
            include_usage: false,
            max_tokens,
        };
        let behaviour = Behaviour { tokens: 5, ..Behaviour::default() };
        Completion::new(&chat, Fates::new(1, 0.0, 0.0).next(b"body"), &behaviour)
    }

    #[test]
    fn an_answer_has_as_many_words_as_tokens_and_says_why_it_ends() {
        for (most, tokens, reason) in
            [(None, 5, "stop"), (Some(5), 5, "stop"), (Some(9), 5, "stop"), (Some(2), 2, "length")]
        {
            let whole = completion(most).whole();
            let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
            assert_eq!(content.split(' ').count(), tokens, "{content}");
            assert_eq!(whole["choices"][0]["finish_reason"], reason);
            assert_eq!(whole["usage"]["total_tokens"], 7 + tokens);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_are_due_around_the_times_set() {
        let behaviour = Behaviour {
            first_token: Duration::from_millis(400),
            token: Duration::from_millis(12),
            jitter: 0.3,
            ..Behaviour::default()
        };
        let start = Instant::now();
        let mut fates = Fates::new(1, 0.0, 0.0);
        let mut first_sum = Duration::ZERO;
        for _ in 0..200 {
            let mut schedule = Schedule::new(start, fates.next(b"body"), &behaviour);
            let first = schedule.due() - start;
            assert!((280..=520).contains(&first.as_millis()), "{first:?}");
            first_sum += first;
            let mut before = schedule.due();
            for _ in 0..31 {
                schedule.advance();
                let gap = schedule.due() - before;
                assert!((8_400..=15_600).contains(&gap.as_micros()), "{gap:?}");
                before = schedule.due();
            }
        }
        assert!((390..410).contains(&(first_sum / 200).as_millis()), "{first_sum:?}");
    }
}
