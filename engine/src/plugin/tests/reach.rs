//! What a plugin reaches for beyond its interface: named, and never given.

use super::guest::Guest;
use super::{limits, load_under};

/// The refusal of a guest that imports this interface.
fn refused(package: &str, interface: &str) -> (String, String) {
    let item: &'static str = Box::leak(format!("{package}/{interface}@0.2.0").into_boxed_str());
    let wit = format!("package {package}@0.2.0 {{ interface {interface} {{ reach: func(); }} }}");
    let guest = Guest::new().importing(item, wit, item, "reach");
    let refusal = load_under(limits(), &guest).map(drop).expect_err("it is not offered");
    (refusal.what, refusal.help)
}

#[test]
fn an_import_that_is_not_offered_is_refused_by_its_name() {
    for (package, interface) in [
        ("wasi:cli", "run"),
        ("wasi:sockets", "tcp-create-socket"),
        ("wasi:sockets", "udp"),
        ("wasi:sockets", "ip-name-lookup"),
        ("wasi:http", "outgoing-handler"),
        ("wasi:config", "store"),
        ("wasi:keyvalue", "store"),
        ("acme:host", "shell"),
    ] {
        let (what, help) = refused(package, interface);
        let name = format!("{package}/{interface}@0.2.0");
        assert_eq!(
            what,
            format!(
                "imports `{name}`, which is not offered; offered: `engine:workload/types@0.1.0`, \
                 `engine:workload/actions@0.1.0`"
            )
        );
        assert!(help.starts_with("plugins are pure: they have no files, sockets, clocks or environment"), "{help}");
        assert_eq!(help.contains("build without WASI"), package.starts_with("wasi:"), "{help}");
    }
}

#[test]
fn of_wasi_only_the_second_version_is_offered_and_nothing_from_before_it() {
    use crate::plugin::wasi::offers;
    assert!(offers("wasi:cli/stdout@0.2.0") && offers("wasi:random/random@0.2.12"));
    for name in
        ["wasi:cli/stdout@0.3.0", "wasi:cli/stdout@0.2.0-rc-2023-11-10", "wasi:cli/run@0.2.0", "wasi:cli/stdout"]
    {
        assert!(!offers(name), "{name}");
    }
}

#[test]
fn a_function_asked_for_without_an_interface_is_refused_as_well() {
    let guest = Guest::new().importing("shell: func()", String::new(), "$root", "shell");
    let refusal = load_under(limits(), &guest).map(drop).expect_err("it is not offered");
    assert!(refusal.what.starts_with("imports `shell`, which is not offered"), "{refusal}");
}

#[test]
fn a_module_that_asks_for_more_of_the_interface_than_there_is_cannot_be_linked() {
    // The name is right and the function is not there: as of a plugin for a later version.
    let mut component = Guest::new().component();
    let name = b"clear";
    let places: Vec<usize> =
        component.windows(name.len()).enumerate().filter(|(_, bytes)| bytes == name).map(|(at, _)| at).collect();
    assert!(!places.is_empty(), "it imports `clear`");
    for at in places {
        component[at..at + name.len()].copy_from_slice(b"cleer");
    }
    let host = super::Host::new(limits(), None).expect("a host");
    let refusal =
        host.load_bytes(std::path::Path::new("raw.wasm"), &component).map(drop).expect_err("no such function");
    assert!(refusal.what.starts_with("does not fit the interface engine:workload@0.1.0: "), "{refusal}");
    assert!(refusal.what.contains("cleer"), "{refusal}");
}
