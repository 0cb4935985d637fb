//! `engine plugin build`: from a folder with a plugin's source to a file that a run takes.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use plugin_build::{Asked, Blame, Fault, How, Made, Project, Running};

use crate::cli::args::Format;
use crate::cli::exit::{Exit, Failure};
use crate::cli::signals::Signals;
use crate::cli::{block_on, colours_on_stderr, output};
use crate::plugin::{Host, Limits, Plugin};

use super::sheet;

/// `engine plugin build`.
#[derive(Clone, Debug, Args)]
pub(in crate::cli) struct Build {
    /// Folder with the plugin's source
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,

    /// File to write; NAME.wasm in DIR where absent
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Which plugin, where DIR is a workspace with several (Rust)
    #[arg(short, long, value_name = "NAME")]
    package: Option<String>,

    /// Fail rather than change Cargo.lock (Rust)
    #[arg(long)]
    locked: bool,

    /// Fetch nothing (Rust)
    #[arg(long)]
    offline: bool,

    /// In which form the result is shown
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// Builds a plugin, writes it and shows it.
///
/// # Errors
/// A folder that cannot be built, a plugin that does not compile or that this engine cannot use, a file that cannot be
/// written, a signal.
pub(super) fn run(arguments: &Build) -> Result<Exit, Failure> {
    let Built { out, component, plugin } = block_on(unless_stopped(arguments.clone()))?;
    write(&out, &component).map_err(|error| not_written(&out, &error))?;
    sheet::print(&plugin, arguments.format)
}

/// What was built, and where it belongs.
struct Built {
    out: PathBuf,
    component: Vec<u8>,
    plugin: Plugin,
}

/// Builds on another thread. A signal is handed on to the toolchain, a second one ends it by force; what it has begun is
/// waited for, so that nothing is left behind.
async fn unless_stopped(arguments: Build) -> Result<Built, Failure> {
    let mut signals = Signals::listen().map_err(|error| Failure::new(Exit::Internal, format!("signals: {error}")))?;
    let running = Running::default();
    let handle = running.clone();
    let built = tokio::task::spawn_blocking(move || build(&arguments, &handle));
    tokio::pin!(built);
    let mut stopped = None;
    let done = loop {
        tokio::select! {
            done = &mut built => break done,
            signal = signals.next() => {
                stopped = stopped.or(Some(signal));
                running.stop();
            }
        }
    };
    match stopped {
        // Whatever else it did not come to.
        Some(signal) => Err(Failure::new(signal, "stopped: nothing was written")),
        None => done.map_err(|error| Failure::new(Exit::Internal, format!("internal fault: {error}")))?,
    }
}

fn build(arguments: &Build, running: &Running) -> Result<Built, Failure> {
    let Build { folder, package, locked, offline, .. } = arguments;
    let asked = Asked { package: package.as_deref(), locked: *locked, offline: *offline };
    let project = Project::open(folder, asked, running)?;
    let out = arguments.out.clone().unwrap_or_else(|| own_file(project.path(), &project.name()));
    ensure_place(&out)?;

    let mut say = |text: &str| output::say(text.trim_end_matches('\n'));
    let Made { component, untold } = project.build(How { colours: colours_on_stderr(), say: &mut say })?;
    for line in untold {
        output::say(&output::printable(&format!("warning: {line}")));
    }
    let plugin = Host::new(Limits::default(), None)?.load_bytes(&out, &component).map_err(|refusal| {
        let text = format!("error: plugin {}: {}\n  help: {}", project.name(), refusal.what, refusal.help);
        Failure::new(Exit::PluginRefused, text)
    })?;
    Ok(Built { out, component, plugin })
}

impl From<Fault> for Failure {
    /// Faults of what was asked for and faults of the plugin have a status each.
    fn from(fault: Fault) -> Self {
        let exit = match fault.blame {
            Blame::Call => Exit::Usage,
            Blame::Plugin => Exit::PluginRefused,
        };
        // It may quote a manifest, or what a tool has said.
        Self::new(exit, output::printable(&format!("error: {fault}")).into_owned())
    }
}

/// `NAME.wasm` in the folder, as people would write it.
fn own_file(folder: &Path, name: &str) -> PathBuf {
    let file = format!("{name}.wasm");
    if folder == Path::new(".") { file.into() } else { folder.join(file) }
}

/// Whether there is a folder to write to, before minutes of compilation.
fn ensure_place(out: &Path) -> Result<(), Failure> {
    if out.is_dir() {
        return Err(not_written(out, &io::ErrorKind::IsADirectory.into()));
    }
    // A device or a pipe would be replaced by a file.
    if out.exists() && !out.is_file() {
        return Err(not_written(out, &io::Error::other("it is no regular file")));
    }
    let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if parent.is_dir() { Ok(()) } else { Err(not_written(out, &io::ErrorKind::NotFound.into())) }
}

/// Writes beside the file first, so that a reader finds the old one or the new one and never half of it.
fn write(out: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(format!(".new-{}", std::process::id()));
    let draft = out.with_file_name(name);
    let written = fs::File::create(&draft)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&draft, out));
    if written.is_err() {
        // What kept it from being written is told; a draft that was never made cannot be removed.
        let _ = fs::remove_file(&draft);
    }
    written
}

fn not_written(out: &Path, error: &io::Error) -> Failure {
    let text = format!(
        "error: {} cannot be written: {error}\n  help: choose a file in a folder that is there and writable with --out",
        out.display()
    );
    Failure::new(Exit::ResultsNotWritten, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_lies_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().join("a.wasm");
        write(&out, b"one").unwrap();
        write(&out, b"two").unwrap();
        assert_eq!(fs::read(&out).unwrap(), b"two");
        write(&place.path().join("none/a.wasm"), b"x").unwrap_err();
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
