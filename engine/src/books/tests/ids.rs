//! The id on the wire.

use super::super::{FIELD, Id, RunId};

fn label(fields: &mut Vec<(String, String)>) -> Id {
    Id::label(&RunId::fresh(), 7, 2, fields)
}

#[test]
fn a_request_gets_the_id_of_its_run_arrival_and_exchange() {
    let run = RunId::fresh();
    let mut fields = vec![("accept".to_owned(), "*/*".to_owned())];
    assert_eq!(Id::label(&run, 7, 2, &mut fields), Id::Own);
    assert_eq!(fields[1], (FIELD.to_owned(), format!("{}-7-2", run.as_str())));
    assert_eq!(run.as_str().len(), 12);
    assert_ne!(run, RunId::fresh());
}

#[test]
fn one_that_its_plugin_gave_is_kept() {
    let given = |value: &str| {
        let mut fields = vec![("X-Request-Id".to_owned(), value.to_owned())];
        let id = label(&mut fields);
        assert_eq!(fields, [("X-Request-Id".to_owned(), value.to_owned())]);
        id
    };
    assert_eq!(given(" mine "), Id::Given("mine".into()));
    // Nothing that a server would tell again.
    assert_eq!(given(""), Id::None);
    assert_eq!(given("\u{e9}"), Id::None);
}

#[test]
fn a_head_without_room_stays_as_it_is() {
    let mut many = vec![("a".to_owned(), String::new()); 256];
    assert_eq!((label(&mut many), many.len()), (Id::None, 256));
    let mut large = vec![("a".to_owned(), "x".repeat(64 * 1024 - 20))];
    assert_eq!((label(&mut large), large.len()), (Id::None, 1));
}
