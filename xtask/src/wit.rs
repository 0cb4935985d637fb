//! The interface's items, one a line, so that none changes unannounced.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;
use wit_parser::{
    Docs, Function, FunctionKind, Handle, Interface, PackageId, Resolve, Type, TypeDefKind, TypeId, TypeOwner,
    WorldItem, WorldKey,
};

/// The list of items, below the project's folder.
const ITEMS: &str = "wit/items.txt";

/// The command that writes it.
const ACCEPT: &str = "cargo xtask wit --accept";

/// The interface package's name and version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    name: String,
    version: String,
}

impl Package {
    /// The full name of one of its interfaces, as components import and export it.
    pub fn interface(&self, name: &str) -> String {
        format!("{}/{name}@{}", self.name, self.version)
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// Name and version of the interface in `wit/`.
///
/// # Errors
/// Where `wit/` is no package.
pub fn package(root: &Path) -> anyhow::Result<Package> {
    let (resolve, id) = resolve(root)?;
    named(&resolve, id)
}

/// Everything that is wrong with the interface's book-keeping, each as a text that says what to do; empty where all is
/// well.
///
/// # Errors
/// Where `wit/` is no package or files cannot be read.
pub fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let listing = Listing::of(root)?;
    let text = listing.text();
    let mut faults: Vec<String> =
        listing.undocumented.iter().map(|item| format!("wit: {item} has no doc comment; say what it means")).collect();
    let committed = fs::read_to_string(root.join(ITEMS)).unwrap_or_default();
    if committed != text {
        faults.push(format!(
            "{ITEMS} is not the list of the interface's items:\n{}\nrun `{ACCEPT}`, announce the change in CHANGELOG.md and commit both",
            difference(&committed, &text)
        ));
    }
    let line = announcement(&listing.package, &text);
    let changelog = fs::read_to_string(root.join("CHANGELOG.md")).unwrap_or_default();
    if !changelog.contains(&line) {
        faults.push(format!(
            "CHANGELOG.md does not announce the interface as it is: describe what changed for plugins and write the line\n  {line}"
        ));
    }
    Ok(faults)
}

/// Writes the list of items. The result is the line that CHANGELOG.md must hold.
///
/// # Errors
/// Where `wit/` is no package or the list cannot be written.
pub fn accept(root: &Path) -> anyhow::Result<String> {
    let listing = Listing::of(root)?;
    let text = listing.text();
    fs::write(root.join(ITEMS), &text).with_context(|| format!("writing {ITEMS}"))?;
    Ok(announcement(&listing.package, &text))
}

fn announcement(package: &Package, items: &str) -> String {
    format!("interface {package} digest {}", &crate::hash::sha256(items.as_bytes())[..16])
}

/// The lines that only one of the two has.
fn difference(before: &str, after: &str) -> String {
    let gone = before.lines().filter(|line| !after.lines().any(|other| other == *line));
    let new = after.lines().filter(|line| !before.lines().any(|other| other == *line));
    let mut lines: Vec<String> =
        gone.map(|line| format!("  - {line}")).chain(new.map(|line| format!("  + {line}"))).collect();
    if lines.is_empty() {
        lines.push("  (the same lines in another order)".to_owned());
    }
    lines.join("\n")
}

fn resolve(root: &Path) -> anyhow::Result<(Resolve, PackageId)> {
    let mut resolve = Resolve::default();
    let (id, _) = resolve.push_dir(root.join("wit")).context("reading wit/")?;
    Ok((resolve, id))
}

fn named(resolve: &Resolve, id: PackageId) -> anyhow::Result<Package> {
    let name = &resolve.packages[id].name;
    let version = name.version.as_ref().context("the package in wit/ has no version")?;
    Ok(Package { name: format!("{}:{}", name.namespace, name.name), version: version.to_string() })
}

/// Every item in the order declared, and those without a doc comment.
struct Listing {
    package: Package,
    lines: Vec<String>,
    undocumented: Vec<String>,
}

impl Listing {
    fn of(root: &Path) -> anyhow::Result<Self> {
        let (resolve, id) = resolve(root)?;
        let package = named(&resolve, id)?;
        let mut listing = Self { lines: vec![format!("package {package}")], undocumented: Vec::new(), package };
        for (name, interface) in &resolve.packages[id].interfaces {
            listing.interface(&resolve, name, &resolve.interfaces[*interface]);
        }
        for (name, world) in &resolve.packages[id].worlds {
            let world = &resolve.worlds[*world];
            listing.item(format!("world {name}"), &world.docs);
            for (direction, items) in [("import", &world.imports), ("export", &world.exports)] {
                let names: BTreeSet<String> = items.iter().map(|(key, item)| world_item(&resolve, key, item)).collect();
                listing.lines.extend(names.into_iter().map(|item| format!("world {name}: {direction} {item}")));
            }
        }
        Ok(listing)
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    fn item(&mut self, line: String, docs: &Docs) {
        if docs.is_empty() {
            self.undocumented.push(line.clone());
        }
        self.lines.push(line);
    }

    fn interface(&mut self, resolve: &Resolve, name: &str, interface: &Interface) {
        self.item(format!("interface {name}"), &interface.docs);
        for (type_name, id) in &interface.types {
            self.type_definition(resolve, name, type_name, *id);
        }
        for function in interface.functions.values() {
            self.item(format!("{name}: {}", signature(resolve, function)), &function.docs);
        }
    }

    fn type_definition(&mut self, resolve: &Resolve, interface: &str, name: &str, id: TypeId) {
        let definition = &resolve.types[id];
        let line = |what: &str| format!("{interface}: {what} {name}");
        match &definition.kind {
            TypeDefKind::Record(record) => {
                self.item(line("record"), &definition.docs);
                for field in &record.fields {
                    let shown = format!("{} field {}: {}", line("record"), field.name, shown(resolve, &field.ty));
                    self.item(shown, &field.docs);
                }
            }
            TypeDefKind::Variant(variant) => {
                self.item(line("variant"), &definition.docs);
                for case in &variant.cases {
                    let payload = case.ty.as_ref().map(|ty| format!("({})", shown(resolve, ty))).unwrap_or_default();
                    self.item(format!("{} case {}{payload}", line("variant"), case.name), &case.docs);
                }
            }
            TypeDefKind::Enum(cases) => {
                self.item(line("enum"), &definition.docs);
                for case in &cases.cases {
                    self.item(format!("{} case {}", line("enum"), case.name), &case.docs);
                }
            }
            TypeDefKind::Flags(flags) => {
                self.item(line("flags"), &definition.docs);
                for flag in &flags.flags {
                    self.item(format!("{} flag {}", line("flags"), flag.name), &flag.docs);
                }
            }
            TypeDefKind::Resource => self.item(line("resource"), &definition.docs),
            // A name that `use` brought in: documented where it is defined.
            TypeDefKind::Type(Type::Id(of)) if resolve.types[*of].owner != definition.owner => {
                self.lines.push(format!("{} from {}", line("use"), owner(resolve, *of)));
            }
            kind => self.item(format!("{} = {}", line("type"), structure(resolve, kind)), &definition.docs),
        }
    }
}

fn owner(resolve: &Resolve, id: TypeId) -> String {
    match resolve.types[id].owner {
        TypeOwner::Interface(interface) => resolve.interfaces[interface].name.clone().unwrap_or_default(),
        TypeOwner::World(world) => resolve.worlds[world].name.clone(),
        TypeOwner::None => String::new(),
    }
}

fn world_item(resolve: &Resolve, key: &WorldKey, item: &WorldItem) -> String {
    match item {
        WorldItem::Interface { .. } => format!("interface {}", resolve.name_world_key(key)),
        WorldItem::Function(function) => signature(resolve, function),
        WorldItem::Type { .. } => format!("type {}", resolve.name_world_key(key)),
    }
}

fn signature(resolve: &Resolve, function: &Function) -> String {
    let kind = match function.kind {
        FunctionKind::Freestanding => "func",
        FunctionKind::AsyncFreestanding => "async func",
        FunctionKind::Method(_) => "method",
        FunctionKind::AsyncMethod(_) => "async method",
        FunctionKind::Static(_) => "static",
        FunctionKind::AsyncStatic(_) => "async static",
        FunctionKind::Constructor(_) => "constructor",
    };
    let params: Vec<String> = function
        .params
        .iter()
        .filter(|param| param.name != "self")
        .map(|param| format!("{}: {}", param.name, shown(resolve, &param.ty)))
        .collect();
    let result = function.result.as_ref().map(|ty| format!(" -> {}", shown(resolve, ty))).unwrap_or_default();
    // `[method]iteration.on-end` says the kind twice.
    let name = function.name.split_once(']').map_or(function.name.as_str(), |(_, name)| name);
    format!("{kind} {name}({}){result}", params.join(", "))
}

/// A type where it is used: by its name, or spelled out.
fn shown(resolve: &Resolve, ty: &Type) -> String {
    let Type::Id(id) = ty else { return primitive(ty).to_owned() };
    let definition = &resolve.types[*id];
    definition.name.clone().unwrap_or_else(|| structure(resolve, &definition.kind))
}

fn structure(resolve: &Resolve, kind: &TypeDefKind) -> String {
    let maybe = |ty: &Option<Type>| ty.as_ref().map_or_else(|| "_".to_owned(), |ty| shown(resolve, ty));
    let name = |id: &TypeId| shown(resolve, &Type::Id(*id));
    match kind {
        TypeDefKind::Type(ty) => shown(resolve, ty),
        TypeDefKind::Option(ty) => format!("option<{}>", shown(resolve, ty)),
        TypeDefKind::List(ty) => format!("list<{}>", shown(resolve, ty)),
        TypeDefKind::FixedLengthList(ty, length) => format!("list<{}, {length}>", shown(resolve, ty)),
        TypeDefKind::Map(key, value) => format!("map<{}, {}>", shown(resolve, key), shown(resolve, value)),
        TypeDefKind::Tuple(tuple) => {
            let types: Vec<String> = tuple.types.iter().map(|ty| shown(resolve, ty)).collect();
            format!("tuple<{}>", types.join(", "))
        }
        TypeDefKind::Result(result) => format!("result<{}, {}>", maybe(&result.ok), maybe(&result.err)),
        TypeDefKind::Handle(Handle::Own(id)) => name(id),
        TypeDefKind::Handle(Handle::Borrow(id)) => format!("borrow<{}>", name(id)),
        TypeDefKind::Future(ty) => format!("future<{}>", maybe(ty)),
        TypeDefKind::Stream(ty) => format!("stream<{}>", maybe(ty)),
        // These always have a name.
        kind => kind.as_str().to_owned(),
    }
}

fn primitive(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::U8 => "u8",
        Type::U16 => "u16",
        Type::U32 => "u32",
        Type::U64 => "u64",
        Type::S8 => "s8",
        Type::S16 => "s16",
        Type::S32 => "s32",
        Type::S64 => "s64",
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Char => "char",
        Type::String => "string",
        Type::ErrorContext => "error-context",
        Type::Id(_) => "",
    }
}
