//! What is committed holds together. A failure's text says what to run.

use xtask::{guests, root, wit};

#[test]
fn no_component_is_missing_altered_or_older_than_its_source() {
    let faults = guests::check(&root().expect("the project's folder")).expect("a readable project");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn no_item_of_the_interface_is_undocumented_or_has_changed_unannounced() {
    let faults = wit::check(&root().expect("the project's folder")).expect("a readable project");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}
