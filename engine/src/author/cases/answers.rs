//! What a case answers, as the pieces that come to an exchange.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::author::open::Open;
use crate::author::piece::Piece;
use crate::plugin::ReadMode;

use super::{Answer, Ask, Batch, Case, End};

/// An answer as the pieces that come to this exchange.
pub(super) fn pieces(answer: &Answer, open: &Open) -> Result<Vec<Piece>, String> {
    let fields = fields(&answer.fields)?;
    let body = answer.body.as_ref().map(super::Content::bytes).unwrap_or_default();
    let read = open.request.read;
    let end = match &answer.end {
        End::Failed { reason, detail } => Some(Piece::Failed { reason: reason.clone(), detail: detail.clone() }),
        End::Closed { code, reason } => Some(Piece::Closed { code: *code, reason: reason.clone() }),
        End::Cancelled => Some(Piece::Cancelled),
        End::Later => None,
        End::Natural => match read {
            ReadMode::Socket => None,
            ReadMode::Whole(_) | ReadMode::Count => {
                if !answer.batches.is_empty() {
                    return Err(format!(
                        "exchange {} is read as a whole: give its answer as `body`, `json` or `base64`",
                        open.id
                    ));
                }
                let size = answer.size.unwrap_or(body.len() as u64);
                return Ok(vec![Piece::Whole { status: answer.status.unwrap_or(200), fields, body, size }]);
            }
            _ => Some(Piece::Complete),
        },
    };
    let mut pieces = Vec::new();
    let says = answer.status.is_some() || !answer.batches.is_empty() || answer.body.is_some();
    let begins = match &end {
        // What fails or is given up without a word of the answer has not begun.
        Some(Piece::Failed { .. } | Piece::Cancelled) => says,
        _ => true,
    };
    let whole = matches!(read, ReadMode::Whole(_) | ReadMode::Count);
    let unsent = open.is_given_up() || open.impossible.is_some();
    if begins && !open.has_begun() && !whole && !unsent {
        pieces.push(if read == ReadMode::Socket {
            Piece::Opened { subprotocol: answer.subprotocol.clone().unwrap_or_default(), fields }
        } else {
            Piece::Head { status: answer.status.unwrap_or(200), fields }
        });
    } else if answer.status.is_some() && open.has_begun() {
        return Err(format!("the head of exchange {} has come already: `status` belongs to its first answer", open.id));
    }
    if answer.body.is_some() && !whole && !body.is_empty() {
        pieces.push(match read {
            ReadMode::Lines => {
                let text = String::from_utf8_lossy(&body);
                Piece::Lines(text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
            }
            ReadMode::Socket => return Err(format!("exchange {} is a WebSocket: give `messages`", open.id)),
            ReadMode::Head => {
                return Err(format!("exchange {} is read for its head alone: leave the body out", open.id));
            }
            _ => Piece::Chunk(body),
        });
    }
    pieces.extend(answer.batches.iter().map(|batch| match batch {
        Batch::Events(events) => Piece::Events(events.clone()),
        Batch::Lines(lines) => Piece::Lines(lines.clone()),
        Batch::Messages(messages) => Piece::Messages(messages.clone()),
        Batch::Chunk(bytes) => Piece::Chunk(bytes.clone()),
    }));
    pieces.extend(end);
    Ok(pieces)
}

/// What a case answers to each exchange of its iteration, by their numbers.
pub fn answers_of(case: &Case) -> Vec<Vec<Answer>> {
    let mut answers: Vec<Vec<Answer>> = Vec::new();
    for step in &case.steps {
        let own = match &step.ask {
            Some(Ask::Request(_)) => {
                answers.push(Vec::new());
                answers.len().checked_sub(1)
            }
            Some(Ask::Write { to, .. } | Ask::Close { to, .. }) => to.map(|to| to as usize),
            Some(Ask::Cancel(to)) => Some(*to as usize),
            _ => None,
        };
        let Some(answer) = &step.answer else { continue };
        // Where nothing is said there is one that is open: the last.
        let to = answer.to.map(|to| to as usize).or(own).or(answers.len().checked_sub(1));
        if let Some(of) = to.and_then(|to| answers.get_mut(to)) {
            of.push(answer.clone());
        }
    }
    answers
}

/// Answers to one exchange as the pieces that come to it, one after the other.
pub(in crate::author) fn pieces_of(answers: &[Answer], open: &Open) -> Vec<Piece> {
    let mut all: Vec<Piece> = Vec::new();
    for piece in answers.iter().filter_map(|answer| pieces(answer, open).ok()).flatten() {
        let head = |piece: &Piece| matches!(piece, Piece::Head { .. } | Piece::Opened { .. });
        // Each answer was made for an exchange that has not begun; whether a cancel takes effect is the plugin's doing.
        if piece != Piece::Cancelled && !(head(&piece) && all.iter().any(head)) {
            all.push(piece);
        }
    }
    all
}

/// Fields as the client would hand them over: values are bytes, a character each.
fn fields(given: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut fields = HeaderMap::new();
    for (name, value) in given {
        let header = HeaderName::from_bytes(name.as_bytes());
        let bytes: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(c).ok()).collect();
        match (header, bytes.and_then(|bytes| HeaderValue::from_bytes(&bytes).ok())) {
            (Ok(header), Some(value)) => {
                fields.append(header, value);
            }
            _ => return Err(format!("field `{name}` has a value that no answer can have")),
        }
    }
    Ok(fields)
}
