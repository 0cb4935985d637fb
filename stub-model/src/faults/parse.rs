//! Faults as they are written on the command line.

use std::str::FromStr;
use std::time::Duration;

use super::{Alternate, MAX_TIME, Share, SlowStart, Stall};

/// A length of time with its unit, a day at most.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no length of time such as 500ms, 2s or 1m30s, of a day at most");
    let time = humantime::parse_duration(text.trim()).map_err(|_| wrong())?;
    if time > MAX_TIME { Err(wrong()) } else { Ok(time) }
}

/// Two lengths of time with something between them.
fn two(text: &str, between: &str, form: &str) -> Result<(Duration, Duration), String> {
    let (one, other) = text.split_once(between).ok_or_else(|| format!("{form} is wanted"))?;
    Ok((time(one)?, time(other)?))
}

impl FromStr for Stall {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, to) = two(text, "..", "FROM..TO such as 2s..4s")?;
        if from < to { Ok(Self { from, to }) } else { Err("a stall ends later than it begins: FROM..TO".to_owned()) }
    }
}

impl FromStr for SlowStart {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (wait, over) = two(text, ",", "WAIT,OVER such as 500ms,10s")?;
        if over.is_zero() { Err("OVER is more than nothing: WAIT,OVER".to_owned()) } else { Ok(Self { wait, over }) }
    }
}

impl FromStr for Alternate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (fast, slow) = two(text, ",", "FAST,SLOW such as 5ms,200ms")?;
        Ok(Self { fast, slow })
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a number from 0 to 1 is wanted, with six decimals at most".to_owned();
        let millionths = text.parse::<f64>().map_err(|_| wrong())? * 1e6;
        let whole = millionths.round();
        if !(0.0..=1e6).contains(&whole) || (millionths - whole).abs() > 1e-6 {
            return Err(wrong());
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1,000,000, as just checked")]
        Ok(Self { millionths: whole as u32 })
    }
}

/// The gap of an answer that leaves byte by byte: more than nothing, a day at most.
///
/// # Errors
/// A text that says what is wanted.
pub fn gap(text: &str) -> Result<Duration, String> {
    let gap = time(text)?;
    if gap.is_zero() { Err("the time between two bytes is more than nothing".to_owned()) } else { Ok(gap) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn what_is_written_is_what_is_meant() {
        assert_eq!("1500ms..4s".parse(), Ok(Stall { from: ms(1_500), to: ms(4_000) }));
        assert_eq!("500ms,1m30s".parse(), Ok(SlowStart { wait: ms(500), over: ms(90_000) }));
        assert_eq!("0s,200ms".parse(), Ok(Alternate { fast: ms(0), slow: ms(200) }));
        for (text, millionths) in [("0", 0), ("1", 1_000_000), ("0.05", 50_000), ("0.29", 290_000), ("0.000001", 1)] {
            assert_eq!(text.parse(), Ok(Share { millionths }), "{text}");
        }
        assert_eq!(gap("20ms"), Ok(ms(20)));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for text in ["", "2s", "4s..2s", "2s..2s", "2..4", "-1s..2s", "1s..25h"] {
            assert!(text.parse::<Stall>().is_err(), "{text}");
        }
        for text in ["500ms", "500ms,0s", "a,b"] {
            assert!(text.parse::<SlowStart>().is_err(), "{text}");
        }
        for text in ["", "1.1", "-0.1", "nan", "inf", "0.0000001", "5%"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
        assert!("5ms".parse::<Alternate>().is_err());
        assert!(gap("0s").is_err());
    }
}
