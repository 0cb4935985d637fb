//! Embeddings without a model: the pieces of a text are hashed to places of a vector, so that texts with many pieces in
//! common are near.

use crate::draw::hash;

/// Lengths of the character pieces of a word, with its borders.
const PIECES: [usize; 2] = [3, 4];

/// How much a whole word counts beside one of its pieces.
const WORD_WEIGHT: f64 = 2.0;

/// The unit vector of a text, with so many places, one at least. Upper and lower case, and what stands between words, make no
/// difference.
pub(super) fn embed(text: &str, places: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f64; places.max(1)];
    let mut add = |piece: &[u8], weight: f64| {
        let number = hash(piece);
        // The low bit is the sign, so that pieces which meet at one place cancel out on the whole.
        let sign = if number & 1 == 0 { weight } else { -weight };
        let place = usize::try_from((number >> 1) % sums.len() as u64).unwrap_or(0);
        sums[place] += sign;
    };
    let lower = text.to_lowercase();
    let words = lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut none = true;
    for word in words {
        none = false;
        let framed = format!("<{word}>");
        add(framed.as_bytes(), WORD_WEIGHT);
        let borders: Vec<usize> = framed.char_indices().map(|(at, _)| at).chain([framed.len()]).collect();
        for length in PIECES {
            for window in borders.windows(length + 1) {
                add(&framed.as_bytes()[window[0]..window[length]], 1.0);
            }
        }
    }
    if none {
        add(text.as_bytes(), 1.0);
    }
    unit(&sums)
}

/// Scales to length 1. A vector of nothing points along its first place.
fn unit(sums: &[f64]) -> Vec<f32> {
    let length = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
    if length == 0.0 {
        return (0..sums.len()).map(|place| if place == 0 { 1.0 } else { 0.0 }).collect();
    }
    #[expect(clippy::cast_possible_truncation, reason = "an embedding has single precision")]
    sums.iter().map(|sum| (sum / length) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearness(one: &str, other: &str) -> f32 {
        embed(one, 768).iter().zip(embed(other, 768)).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn every_vector_has_length_one() {
        for text in ["", " ", "a", "Résumé – 概要", "?!", "the quick brown fox jumps over the lazy dog"] {
            for places in [1, 2, 3, 768] {
                let vector = embed(text, places);
                assert_eq!(vector.len(), places);
                let length = vector.iter().map(|value| value * value).sum::<f32>();
                assert!((length - 1.0).abs() < 1e-5, "{text:?} in {places}: {length}");
            }
        }
    }

    #[test]
    fn near_texts_are_near_and_others_are_not() {
        let question = "How do I reset my password?";
        let near = nearness(question, "To reset your password, open the settings.");
        let far = nearness(question, "The cafeteria serves lunch from noon.");
        assert!(near > 0.35 && far < 0.15, "{near} and {far}");
        assert!(nearness(question, "how do i RESET my password") > 0.999);
        assert!(nearness("resetting passwords", "reset password") > 0.4);
    }

    #[test]
    fn a_vector_is_the_same_on_every_machine() {
        let vector = embed("stub", 8);
        let rounded: Vec<String> = vector.iter().map(|value| format!("{value:.3}")).collect();
        assert_eq!(rounded, ["0.000", "0.000", "0.000", "0.378", "0.000", "-0.378", "0.378", "-0.756"]);
    }
}
