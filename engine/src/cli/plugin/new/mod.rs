//! `engine plugin new`: a folder with a workload that builds and tests as it is.

mod c;
mod go;
mod js;
mod lock;
mod name;
mod python;
mod rust;
mod template;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::cli::exit::{Exit, Failure};
use crate::cli::output;

#[cfg(test)]
pub(super) use rust::SOURCE as TEMPLATE_SOURCE;

use template::Template;

/// `engine plugin new`.
#[derive(Debug, Args)]
pub(in crate::cli) struct New {
    /// Its name: lower-case letters, digits and `_`
    #[arg(value_name = "NAME")]
    name: String,

    /// Folder in which the folder NAME is made
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,

    /// Language it is written in
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    lang: Language,
}

/// The languages that there is an SDK for, under `plugins/sdk/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// Rust
    Rust,
    /// JavaScript or TypeScript
    #[value(alias = "javascript")]
    Js,
    /// Python
    Python,
    /// C (zig or clang)
    C,
    /// Go
    Go,
}

/// The page that each template begins with.
#[cfg(test)]
pub(super) fn readmes() -> Vec<&'static str> {
    let own = Language::value_variants().iter().flat_map(|language| language.template().own);
    own.filter(|(path, _)| *path == "README.md").map(|(_, text)| *text).collect()
}

impl Language {
    fn template(self) -> &'static Template {
        match self {
            Self::Rust => &rust::TEMPLATE,
            Self::Js => &js::TEMPLATE,
            Self::Python => &python::TEMPLATE,
            Self::C => &c::TEMPLATE,
            Self::Go => &go::TEMPLATE,
        }
    }

    /// Why a plugin cannot be called so; none where it can.
    fn keeps(self, name: &str) -> Option<&'static str> {
        match self {
            Self::Rust => rust::keeps(name),
            Self::Python => python::keeps(name),
            Self::Js | Self::C => None,
            Self::Go => go::keeps(name),
        }
    }
}

/// Makes the folder, and says what to do next.
///
/// # Errors
/// A name that cannot be one, a folder that is there already, or one that cannot be written.
pub(super) fn run(arguments: &New) -> Result<Exit, Failure> {
    let New { name, dir, lang } = arguments;
    name::check(name, *lang).map_err(|refusal| Failure::new(Exit::Usage, format!("error: {refusal}")))?;
    let template = lang.template();
    let files = template.files(name);
    let folder = dir.join(name);
    if !dir.is_dir() {
        let text = format!("error: there is no folder {}\n  help: make it first, or leave out --dir", dir.display());
        return Err(Failure::new(Exit::Usage, text));
    }
    if folder.symlink_metadata().is_ok() {
        let text = format!(
            "error: {} is there already\n  help: choose another name, or another folder with --dir",
            folder.display()
        );
        return Err(Failure::new(Exit::Usage, text));
    }
    make(dir, &folder, &files).map_err(|error| {
        let text = format!(
            "error: {} cannot be made: {error}\n  help: make the folder around it writable, or choose another with --dir",
            folder.display()
        );
        Failure::new(Exit::ResultsNotWritten, text)
    })?;
    let shown = folder.strip_prefix(".").unwrap_or(&folder).display().to_string();
    let go_there = format!("cd {shown}");
    let steps = [go_there.as_str()].into_iter().chain(template.steps.iter().copied());
    let steps: Vec<&str> = steps
        .chain(["engine plugin build", "engine try scenario.toml", "engine run --scenario scenario.toml"])
        .collect();
    output::write(&format!(
        "made {shown}: a workload with its tests, a scenario, and the SDK it is built with. What to do next:\n  {}\n",
        steps.join("\n  ")
    ))?;
    Ok(Exit::Passed)
}

/// Writes all files beside the place first, so that nothing half made is ever there.
fn make(dir: &Path, folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    let draft = Draft(dir.join(format!(".engine-plugin-new-{}", std::process::id())));
    fs::create_dir(&draft.0)?;
    for (name, text) in files {
        let file = draft.0.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(file, text)?;
    }
    fs::rename(&draft.0, folder)
}

/// A folder that goes away again unless it has been given another name.
struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // Gone already where all went well; where it cannot be removed, what kept it from being written is told.
        let _ = fs::remove_dir_all(&self.0);
    }
}
