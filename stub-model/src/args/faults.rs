//! Faults that befall every request, the same for all targets.

use std::time::Duration;

use stub_model::faults::{Alternate, Settings, Share, SlowStart, Stall, gap};

/// Where they stand in the help: not where the options of each target do.
const HEADING: &str = "Faults";

/// What befalls requests.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Faults {
    /// Hold what arrives between these times after the first request until the end, such as 2s..4s; may be repeated
    #[arg(long, help_heading = HEADING, value_name = "FROM..TO")]
    stall: Vec<Stall>,

    /// Let the first request wait so long, and later ones ever shorter, evenly, down to nothing over that time
    #[arg(long, help_heading = HEADING, value_name = "WAIT,OVER")]
    slow_start: Option<SlowStart>,

    /// Let requests wait for the one and the other time in turn
    #[arg(long, help_heading = HEADING, value_name = "FAST,SLOW")]
    alternate: Option<Alternate>,

    /// Send answers byte by byte, with this time between one byte and the next
    #[arg(long, help_heading = HEADING, value_name = "TIME", value_parser = gap)]
    loris: Option<Duration>,

    /// Reset the connection in place of an answer, for exactly this part of the requests
    #[arg(long, help_heading = HEADING, value_name = "PART", default_value = "0")]
    reset_share: Share,
}

impl Faults {
    pub(super) fn settings(&self, seed: u64) -> Settings {
        Settings {
            stalls: self.stall.clone(),
            slow_start: self.slow_start,
            alternate: self.alternate,
            loris: self.loris,
            reset_share: self.reset_share,
            seed,
        }
    }
}
