//! One sitting: who is there, and their turns.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::child::{self, Used};
use super::cores::Cores;
use super::engine;
use super::figures::{Cost, marginal, median};
use super::load::{Load, Tool};
use super::programs::Programs;
use super::target::{Count, Target};

/// What a run may take beyond the length that it was asked for.
const GRACE: Duration = Duration::from_secs(90);

/// The programs, the cores, and how often everybody takes their turn.
#[derive(Debug)]
pub(super) struct Sitting {
    pub(super) programs: Programs,
    pub(super) cores: Cores,
    pub(super) rounds: u32,
}

/// A tool with what it is asked for.
#[derive(Clone, Debug)]
pub(super) struct Contender {
    pub(super) name: String,
    pub(super) tool: Tool,
    pub(super) load: Load,
}

impl Contender {
    pub(super) fn new(name: impl Into<String>, tool: Tool, load: &Load) -> Self {
        Self { name: name.into(), tool, load: load.clone() }
    }
}

/// One run, from both sides.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) used: Used,
    pub(super) count: Count,
    /// What this engine says of it; none of other tools.
    pub(super) said: Option<engine::Said>,
}

/// What is counted of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Request,
    Token,
}

impl Run {
    fn cost(&self, unit: Unit) -> Cost {
        let count = if unit == Unit::Token { self.count.tokens } else { self.count.requests };
        Cost { used: self.used.cpu_us, count }
    }
}

/// What came of a contender's turns.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) name: String,
    /// Microseconds of CPU for one more, by round.
    pub(super) costs: Vec<f64>,
    /// The long run of each round.
    pub(super) long: Vec<Run>,
    /// Why it has no turn.
    pub(super) left_out: Option<String>,
}

impl Outcome {
    /// The median over the rounds.
    pub(super) fn cost(&self) -> Option<f64> {
        median(&self.costs)
    }

    /// The median over the rounds of something of the long runs.
    pub(super) fn median(&self, of: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
        median(&self.long.iter().filter_map(of).collect::<Vec<_>>())
    }
}

/// The cost of the outcome of this name.
pub(super) fn cost_of(outcomes: &[Outcome], name: &str) -> Option<f64> {
    outcomes.iter().find(|outcome| outcome.name == name)?.cost()
}

impl Sitting {
    /// One run against a target of its own.
    pub(super) fn run(&self, contender: &Contender, seconds: u32, target: &[String]) -> Result<Run> {
        let folder = tempfile::tempdir()?;
        let target = Target::start(&self.cores, self.programs.floor(), target)?;
        let asked = (target.url(), seconds);
        let mut command = contender.tool.command(&self.programs, &contender.load, asked, folder.path())?;
        let used = child::run(&self.cores, &mut command, Duration::from_secs(seconds.into()) + GRACE)?;
        let said = if let Tool::Engine(_) = contender.tool {
            Some(engine::read(&used)?)
        } else {
            ensure!(used.status.success(), "{}: {}", used.status, used.stderr.trim());
            None
        };
        Ok(Run { used, count: target.count()?, said })
    }

    /// Everybody's turns, round by round: a short and a long run each, so that what is paid once falls out. `lengths` are
    /// theirs in seconds. A first run of a second, which is not counted, fills caches and shows who cannot do it.
    pub(super) fn turns(
        &self,
        contenders: &[Contender],
        (short, long): (u32, u32),
        unit: Unit,
        target: &[String],
    ) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        for contender in contenders {
            let left_out = self.run(contender, 1, target).err().map(|error| format!("{error:#}"));
            if let Some(why) = &left_out {
                eprintln!("{} is left out: {why}", contender.name);
            }
            outcomes.push(Outcome { name: contender.name.clone(), costs: Vec::new(), long: Vec::new(), left_out });
        }
        for round in 1..=self.rounds {
            for (contender, outcome) in contenders.iter().zip(&mut outcomes) {
                if outcome.left_out.is_some() {
                    continue;
                }
                eprintln!("round {round} of {}: {}", self.rounds, contender.name);
                let short = self.run(contender, short, target)?;
                let long = self.run(contender, long, target)?;
                outcome.costs.extend(marginal(short.cost(unit), long.cost(unit)));
                outcome.long.push(long);
            }
        }
        Ok(outcomes)
    }
}
