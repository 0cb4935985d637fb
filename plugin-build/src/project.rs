//! A folder with a plugin's source, in whatever language, and what is made of it.

use std::path::{Path, PathBuf};

use crate::about::About;
use crate::revision::revision;
use crate::rust::{Compile, Folder, Package, SDK};
use crate::{Fault, Running, c, component, go, javascript, manifest, path_in, python};

/// Which plugin of a folder, and what cargo is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked<'a> {
    /// Which package of a cargo workspace.
    pub package: Option<&'a str>,
    /// Have `Cargo.lock` stay as it is.
    pub locked: bool,
    /// Have cargo fetch nothing.
    pub offline: bool,
}

/// How to build.
pub struct How<'a> {
    /// Whether what a compiler says goes to a terminal that shows colours.
    pub colours: bool,
    /// Takes what cargo's compiler says, with its line ends. The other toolchains speak to stderr themselves.
    pub say: &'a mut dyn FnMut(&str),
}

/// What was made.
#[derive(Clone, Debug)]
pub struct Made {
    /// The component.
    pub component: Vec<u8>,
    /// A line for each value of the manifest that could not be told in it.
    pub untold: Vec<String>,
}

/// A folder with a plugin's source.
#[derive(Debug)]
pub struct Project {
    /// As it was given.
    given: PathBuf,
    source: Source,
    running: Running,
}

/// What is in it.
#[derive(Debug)]
enum Source {
    Rust { folder: Folder, package: Box<Package> },
    Other { language: &'static Language, manifest: String, about: Box<About> },
}

/// A language other than Rust.
#[derive(Debug)]
pub(crate) struct Language {
    /// For people.
    pub(crate) name: &'static str,
    /// The file that tells it.
    pub(crate) manifest: &'static str,
    /// The file that says what the plugin is.
    pub(crate) described_in: &'static str,
    /// Reads that file.
    pub(crate) about: fn(&str) -> Result<About, String>,
    /// Runs the toolchain.
    pub(crate) build: Build,
}

/// Runs a toolchain in the folder, of which this is that file and what it says; gives a component.
type Build = fn(&Path, &str, &About, &Running) -> Result<Vec<u8>, Fault>;

/// Rust's manifest goes first, then these in order: Go's before C's, for a Go plugin has a `plugin.toml` as well; JavaScript's
/// last, for a plugin in any language may have a `package.json` for its tools.
const LANGUAGES: [&Language; 4] = [&python::LANGUAGE, &go::LANGUAGE, &c::LANGUAGE, &javascript::LANGUAGE];
/// The manifest of a plugin in Rust.
const CARGO: &str = "Cargo.toml";

impl Project {
    /// The plugin of a folder. Whatever program is needed for it runs through `running`.
    ///
    /// # Errors
    /// Where there is no such folder, where it has no manifest, or one that cannot be read, or several plugins.
    pub fn open(given: &Path, asked: Asked<'_>, running: &Running) -> Result<Self, Fault> {
        ensure_folder(given)?;
        let shown = given.display();
        if given.join(CARGO).is_file() {
            let folder = Folder::open(given, running)?.locked(asked.locked).offline(asked.offline);
            let package = Box::new(folder.package(asked.package)?);
            let source = Source::Rust { folder, package };
            return Ok(Self { given: given.to_owned(), source, running: running.clone() });
        }
        let Some(language) = LANGUAGES.into_iter().find(|language| given.join(language.manifest).is_file()) else {
            let manifests: Vec<&str> = LANGUAGES.iter().map(|language| language.manifest).collect();
            return Err(Fault::call(
                format!("the folder {shown} has no plugin: no {CARGO}, {}", manifests.join(", ")),
                "give the folder of a plugin, or make one: engine plugin new NAME",
            ));
        };
        if asked.package.is_some() || asked.locked || asked.offline {
            return Err(Fault::call(
                format!("--package, --locked and --offline are cargo's, and {shown} is a plugin in {}", language.name),
                "leave them out",
            ));
        }
        let file = given.join(language.described_in);
        let unread = |what: String| Fault::call(format!("{} cannot be read: {what}", file.display()), "mend it");
        if !file.exists() {
            return Err(unread("there is no such file".to_owned()));
        }
        let text = manifest::read(&file).map_err(unread)?;
        let about = Box::new((language.about)(&text).map_err(unread)?);
        if about.file_name().is_empty() {
            return Err(unread("the plugin has no name".to_owned()));
        }
        let source = Source::Other { language, manifest: text, about };
        Ok(Self { given: given.to_owned(), source, running: running.clone() })
    }

    /// As it was given.
    pub fn path(&self) -> &Path {
        &self.given
    }

    /// The plugin's name, as that of its file.
    pub fn name(&self) -> String {
        match &self.source {
            Source::Rust { package, .. } => package.library().unwrap_or_default(),
            Source::Other { about, .. } => about.file_name(),
        }
    }

    /// Runs the toolchain, and makes a component that says where it comes from.
    ///
    /// # Errors
    /// Where the toolchain is not installed, the plugin does not compile, or no component can be made of it.
    pub fn build(&self, how: How<'_>) -> Result<Made, Fault> {
        match &self.source {
            Source::Rust { folder, package } => self.build_rust(folder, package, how),
            Source::Other { language, manifest, about } => {
                // As the toolchain sees it: without `..` and links, so that its paths are recognised.
                let place = self.given.canonicalize().unwrap_or_else(|_| self.given.clone());
                let bytes = (language.build)(&place, manifest, about, &self.running)?;
                let mut about = about.as_ref().clone();
                about.revision = revision(&place, language.manifest, &self.running);
                let home = std::env::home_dir();
                let private = [Some(place.as_path()), home.as_deref()];
                self.finish(&bytes, &about, private.into_iter().flatten(), PATHS)
            }
        }
    }

    fn build_rust(&self, folder: &Folder, package: &Package, how: How<'_>) -> Result<Made, Fault> {
        let How { colours, say } = how;
        folder.ensure_target()?;
        let metadata = folder.metadata()?;
        let remap = folder.remap(&metadata);
        let built = folder.compile(package, Compile { remap: &remap, colours, say })?;
        let bytes = std::fs::read(&built.module)
            .map_err(anyhow::Error::from)
            .and_then(|module| component::encode(&module))
            .map_err(|error| no_component(&self.name(), &error, FOREIGN_RUST))?;
        let mut about = package.about();
        // After the build, which may have changed Cargo.lock.
        about.revision = revision(package.folder(), CARGO, &self.running);
        about.sdk = metadata.packages.iter().find(|package| package.name == SDK).map(Package::name_and_version);
        self.finish(&bytes, &about, remap.folders(), PATHS_RUST)
    }

    /// Has a component say what its manifest says, and looks for paths of this machine in it.
    fn finish<'a>(
        &self,
        bytes: &[u8],
        about: &About,
        private: impl Iterator<Item = &'a Path>,
        help: &str,
    ) -> Result<Made, Fault> {
        let (component, untold) = component::describe(bytes, about)
            .map_err(|error| no_component(&self.name(), &error, "build it with another version of its toolchain"))?;
        if let Some(path) = path_in(&component, private) {
            let what = format!("plugin {}: it would hold a path of this machine: {path}", self.name());
            return Err(Fault::plugin(what, help));
        }
        Ok(Made { component, untold })
    }
}

/// Whether there is such a folder.
pub(crate) fn ensure_folder(folder: &Path) -> Result<(), Fault> {
    if folder.is_dir() {
        return Ok(());
    }
    Err(Fault::call(
        format!("there is no folder {}", folder.display()),
        "check the path; it counts from the current folder",
    ))
}

/// What was compiled does not fit the interface.
pub(crate) fn no_component(name: &str, error: &anyhow::Error, help: &str) -> Fault {
    Fault::plugin(format!("plugin {name}: no component can be made of it: {error:#}"), help)
}

/// What a module imports that nothing offers.
const FOREIGN_RUST: &str = "a plugin has no JavaScript and no WASI around it: turn off the default features of the crate that \
                            asks for them (`cargo tree -i NAME` says who brings it), and call `engine_sdk::plugin!` in lib.rs";
/// How a path gets into a component that the compiler was told to leave out.
const PATHS_RUST: &str = "a file's path is taken into the code, by `env!(\"CARGO_MANIFEST_DIR\")`, `env!(\"OUT_DIR\")` or a \
                          build script: take in what the file holds instead (`include_str!`)";
/// The same, in other languages.
const PATHS: &str = "name files by paths that count from the plugin's folder";

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(folder: &Path, asked: Asked<'_>) -> String {
        Project::open(folder, asked, &Running::default())
            .expect_err("no plugin")
            .to_string()
            .replace(&folder.display().to_string(), "HERE")
    }

    #[test]
    fn a_folder_without_a_plugin_is_refused() {
        let place = tempfile::tempdir().expect("a folder");
        assert_eq!(
            refused(place.path(), Asked::default()),
            "the folder HERE has no plugin: no Cargo.toml, pyproject.toml, go.mod, plugin.toml, package.json\n  \
             help: give the folder of a plugin, or make one: engine plugin new NAME"
        );
        assert_eq!(
            refused(&place.path().join("gone"), Asked::default()),
            "there is no folder HERE\n  help: check the path; it counts from the current folder"
        );
    }

    #[test]
    fn the_manifest_tells_the_language_and_the_name() {
        let place = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("written");
        let open = || Project::open(place.path(), Asked::default(), &Running::default()).expect("a plugin");
        let language = |project: Project| match project.source {
            Source::Rust { .. } => "Rust",
            Source::Other { language, .. } => language.name,
        };
        write("package.json", "{\"name\": \"@team/tea-js\"}");
        assert_eq!((open().name().as_str(), language(open())), ("tea_js", "JavaScript"));
        assert_eq!(
            refused(place.path(), Asked { locked: true, ..Asked::default() }),
            "--package, --locked and --offline are cargo's, and HERE is a plugin in JavaScript\n  help: leave them out"
        );
        write("package.json", "{\"name\": 5}");
        let text = refused(place.path(), Asked::default());
        assert!(text.starts_with("HERE/package.json cannot be read: invalid type: integer `5`"), "{text}");
        write("package.json", "{\"name\": \"@team/\"}");
        assert_eq!(
            refused(place.path(), Asked::default()),
            "HERE/package.json cannot be read: the plugin has no name\n  help: mend it"
        );
        // What is written for a plugin's tools does not make it one in JavaScript.
        write("plugin.toml", "[plugin]\nname = \"tea_c\"\n");
        assert_eq!((open().name().as_str(), language(open())), ("tea_c", "C"));
        write("go.mod", "module tea\n");
        assert_eq!(language(open()), "Go");
        write("pyproject.toml", "[project]\nname = \"tea-python\"\n");
        assert_eq!((open().name().as_str(), language(open())), ("tea_python", "Python"));
    }
}
