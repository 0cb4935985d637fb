//! Which plugin a reference means: files given on the command line, names and paths of the scenario, and those built in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::host::Host;
use super::load::{Plugin, Refusal};

/// The name of the plugin that every engine has.
pub const BUILT_IN: &str = "http";
/// The plugin for plain HTTP, so that a run without a scenario needs no file.
const HTTP: &[u8] = include_bytes!("../../../plugins/components/http.wasm");

/// Loads each plugin once and finds it by what the scenario calls it.
pub struct Catalog<'host> {
    host: &'host Host,
    /// Given on the command line, in order, with whether anything uses it.
    given: Vec<(Arc<Plugin>, bool)>,
    /// Loaded from paths, folders and the engine itself.
    loaded: BTreeMap<PathBuf, Arc<Plugin>>,
    /// Where names are looked up as `NAME.wasm`, in order.
    folders: Vec<PathBuf>,
}

/// Why a reference leads to no plugin: what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}\n  help: {help}")]
pub struct NoPlugin {
    /// What is wrong, and what was found.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl From<Refusal> for NoPlugin {
    fn from(refusal: Refusal) -> Self {
        Self { what: format!("plugin {}: {}", refusal.file.display(), refusal.what), help: refusal.help }
    }
}

impl<'host> Catalog<'host> {
    /// Loads the files given on the command line. `folders` are where plain names are looked up.
    ///
    /// # Errors
    /// The refusal of the first file that is no plugin, or that two of them have one name.
    pub fn new(host: &'host Host, given: &[PathBuf], folders: Vec<PathBuf>) -> Result<Self, NoPlugin> {
        let mut catalog = Self { host, given: Vec::new(), loaded: BTreeMap::new(), folders };
        for file in given {
            let plugin = Arc::new(host.load(file)?);
            let name = &plugin.description.name;
            if let Some((other, _)) = catalog.given.iter().find(|(other, _)| other.description.name == *name) {
                return Err(NoPlugin {
                    what: format!("{} and {} are both named `{name}`", other.file.display(), file.display()),
                    help: "give only one of them with --plugin".into(),
                });
            }
            catalog.given.push((plugin, false));
        }
        Ok(catalog)
    }

    /// The plugin of a name: a given one that calls itself so, else one whose file does, else `NAME.wasm` in the
    /// folders, else a built-in one.
    ///
    /// # Errors
    /// Where there is none, with what there is; or the refusal of the file found.
    pub fn by_name(&mut self, name: &str) -> Result<Arc<Plugin>, NoPlugin> {
        if let Some(plugin) = self.among_given(name) {
            return Ok(plugin);
        }
        let file = self.folders.iter().map(|folder| folder.join(format!("{name}.wasm"))).find(|path| path.is_file());
        if let Some(file) = file {
            return self.load(&file);
        }
        if name == BUILT_IN {
            let key = PathBuf::from("(built in)");
            if !self.loaded.contains_key(&key) {
                let plugin = self.host.load_bytes(&key, HTTP)?;
                self.loaded.insert(key.clone(), Arc::new(plugin));
            }
            return Ok(Arc::clone(&self.loaded[&key]));
        }
        Err(NoPlugin {
            what: format!("there is no plugin `{name}`; {}", self.list(&self.folders)),
            help: "give its file with --plugin FILE, or write its path in the scenario".into(),
        })
    }

    /// The plugin of a file, unless one given on the command line has its stem for a name, or the stem itself.
    ///
    /// # Errors
    /// Where there is no such file, with what there is; or its refusal.
    pub fn by_file(&mut self, file: &Path) -> Result<Arc<Plugin>, NoPlugin> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Some(plugin) = self.among_given(&stem) {
            return Ok(plugin);
        }
        if file.is_file() {
            return self.load(file);
        }
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Err(NoPlugin {
            what: format!("there is no plugin file {}; {}", file.display(), self.list(&[folder.to_owned()])),
            help: "check the path (it counts from the scenario's folder), build it with `engine plugin build`, or give the file with \
                   --plugin"
                .into(),
        })
    }

    /// The given files that nothing uses, which is a mistake worth an error.
    pub fn unused(&self) -> Vec<String> {
        let unused = self.given.iter().filter(|(_, used)| !used);
        unused.map(|(plugin, _)| format!("{} (named `{}`)", plugin.file.display(), plugin.description.name)).collect()
    }

    fn among_given(&mut self, name: &str) -> Option<Arc<Plugin>> {
        let by_name = self.given.iter().position(|(plugin, _)| plugin.description.name == name);
        let by_stem =
            self.given.iter().position(|(plugin, _)| plugin.file.file_stem().is_some_and(|stem| stem == name));
        let (plugin, used) = &mut self.given[by_name.or(by_stem)?];
        *used = true;
        Some(Arc::clone(plugin))
    }

    /// Loads a file, once however often it is named.
    fn load(&mut self, path: &Path) -> Result<Arc<Plugin>, NoPlugin> {
        let key = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Some(plugin) = self.loaded.get(&key) {
            return Ok(Arc::clone(plugin));
        }
        let plugin = Arc::new(self.host.load(path)?);
        self.loaded.insert(key, Arc::clone(&plugin));
        Ok(plugin)
    }

    /// What there is: the given plugins, the files in `folders`, the built-in ones.
    fn list(&self, folders: &[PathBuf]) -> String {
        let mut found = Vec::new();
        if !self.given.is_empty() {
            let names: Vec<_> = self.given.iter().map(|(plugin, _)| format!("`{}`", plugin.description.name)).collect();
            found.push(format!("given with --plugin: {}", names.join(", ")));
        }
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            let names = components_in(folder);
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            found.push(format!("in {}: {names}", folder.display()));
        }
        found.push(format!("built in: `{BUILT_IN}`"));
        found.join("; ")
    }
}

/// Names of the `.wasm` files of a folder, sorted.
fn components_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "wasm"))
        .collect();
    names.sort();
    names
}
