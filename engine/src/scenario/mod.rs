//! The scenario: a TOML file that says what is loaded, with what, how hard, and what must hold.
//!
//! [`load`] reads a file, [`parse`] a text, and [`quick`] makes a plan without one. Each gives an immutable [`Plan`], or
//! [`Faults`]: everything that is wrong, each with its line and column, and what to do about it.
//!
//! The order of things: the text becomes a tree with places (`syntax`), each `--set` is applied to it (`set`), `${…}` is
//! expanded (`expand`), options of the command line are applied (`overrides`), every table is read against the list of
//! keys (`keys`, `reader`), and what only all of them together tell is checked (`resolve`).

pub mod code;
pub(crate) mod config;
mod expand;
mod fault;
pub(crate) mod keys;
mod limits;
mod metric;
pub(crate) mod nearest;
mod overrides;
mod phase;
mod plan;
mod probe;
mod profile;
mod quick;
pub(crate) mod reader;
mod resolve;
mod schema;
mod set;
mod source;
pub(crate) mod syntax;
mod target;
#[cfg(test)]
mod tests;
mod threshold;
pub(crate) mod tree;
mod units;
mod workload;

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

pub use config::{Config, Step};
pub use fault::{Fault, Faults};
pub use limits::{AllowedHost, Limits, PluginLimits, Timer};
pub use metric::{Metric, Percentile, Series, Statistic};
pub use nearest::did_you_mean;
pub use overrides::{Overrides, Surroundings, Variable};
pub use phase::Phase;
pub use plan::Plan;
pub use probe::{ProbeUrl, PrometheusProbe};
pub use quick::{QuickRun, of_plugin, quick};
pub use schema::schema;
pub use source::{Sources, Span};
pub use target::{BaseUrl, ClientCertificate, Endpoint, StubCommand, Target};
pub use threshold::{Limit, Op, Scope, Threshold, Window};
pub use workload::{Isolation, PluginBy, PluginRef, Setup, Workload};

use reader::Log;
use resolve::Origin;

/// What some editors put at the start of UTF-8 files.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The plan of a scenario file.
///
/// # Errors
/// Everything that is wrong with it, also where the file cannot be read.
pub fn load(path: &Path, overrides: &Overrides, surroundings: &Surroundings) -> Result<Plan, Faults> {
    let shown = path.display();
    let refuse = |sources, fault| Err(Faults::new(Arc::new(sources), vec![fault]));
    let bytes = match read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let fault = Fault::new(code::NOT_FOUND, format!("there is no scenario `{shown}`"));
            return refuse(Sources::default(), fault.hint("relative paths count from the current folder"));
        }
        Err(error) => {
            let fault = Fault::new(code::NOT_READABLE, format!("the scenario `{shown}` cannot be read: {error}"));
            return refuse(Sources::default(), fault);
        }
    };
    match String::from_utf8(bytes) {
        Ok(text) => parse(path, &text, overrides, surroundings),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let mut sources = Sources::default();
            let whole = sources.add(shown.to_string(), String::from_utf8_lossy(error.as_bytes()));
            let place = whole.part(valid..valid + char::REPLACEMENT_CHARACTER.len_utf8());
            let fault =
                Fault::new(code::NOT_UTF8, "the scenario is not UTF-8 text").at(place, "the first byte that is not");
            refuse(sources, fault.hint("save it as UTF-8"))
        }
    }
}

/// The most bytes of a scenario; whatever is longer is something else.
const LONGEST: u64 = 16 << 20;

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(std::io::Error::new(ErrorKind::FileTooLarge, format!("it is longer than {} MiB", LONGEST >> 20)));
    }
    Ok(bytes)
}

/// The plan of a scenario's text. `path` names it in faults, and relative paths in it count from that file's folder.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(path: &Path, text: &str, overrides: &Overrides, surroundings: &Surroundings) -> Result<Plan, Faults> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let (mut sources, log) = (Sources::default(), Log::default());
    let whole = sources.add(path.display().to_string(), text);
    let mut root = match syntax::document(text, whole) {
        Ok(root) => root,
        Err(faults) => return Err(Faults::new(Arc::new(sources), faults)),
    };
    overrides::apply_sets(&mut root, &overrides.set, Some(whole), &mut sources, &log);
    let secrets = expand::expand(&mut root, &*surroundings.variable, &sources, &log);
    overrides::apply(&mut root, overrides, Some(whole), &mut sources, &log);
    let options = overrides::options(overrides, surroundings.cores, &mut sources, &log);
    let origin =
        Origin { scenario: Some(path.to_owned()), name: name_from(path), whole: whole.part(0..0), options, secrets };
    resolve::resolve(&root, origin, sources, log)
}

/// A name for the run from that of its file, with `-` for what a name cannot hold.
fn name_from(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = stem.chars().take(64).map(allowed).collect();
    if reader::is_name(&name, true) { name } else { "scenario".to_owned() }
}
