//! What a guest hands over that the interface does not allow: texts, lists, discriminants, handles.

use super::guest::{Guest, Image, Request};
use super::{arrival, instance, limits, load, load_under};
use crate::plugin::{Action, Fault, FaultKind, Instance, Limits, Refused};

/// The fault in the `start` of a guest.
fn fault(guest: &Guest) -> Fault {
    instance(guest).start(&arrival(0)).map(drop).expect_err("it hands over what is wrong")
}

/// A change to a good request.
type Change = fn(&mut Image, Request) -> Request;

#[test]
fn a_request_that_cannot_be_read_is_a_trap_that_says_why() {
    let cases: [(&str, Change, &str); 11] = [
        ("method that is no UTF-8", |i, r| r.with(Request::METHOD, &i.text(b"G\xff\xfeT")), "invalid utf-8"),
        ("path out of bounds", |_, r| r.with(Request::PATH, &[0xffff_ff00, 64]), "out of bounds"),
        ("path that ends out of bounds", |_, r| r.with(Request::PATH, &[1024, 0x7fff_ffff]), "out of bounds"),
        ("fields out of bounds", |_, r| r.with(Request::FIELDS, &[0x7fff_0000, 2]), "out of bounds"),
        ("200 MB of fields", |_, r| r.with(Request::FIELDS, &[8, 12_500_000]), "out of bounds"),
        ("more fields than there are numbers", |_, r| r.with(Request::FIELDS, &[8, u32::MAX]), "out of bounds"),
        ("fields off their alignment", |_, r| r.with(Request::FIELDS, &[1025, 1]), "not aligned"),
        ("unknown kind of body", |_, r| r.with(Request::BODY, &[9]), "discriminant"),
        ("unknown read mode", |_, r| r.with(Request::READ, &[77]), "discriminant"),
        ("option that is neither", |_, r| r.with(Request::NAME, &[2]), "discriminant"),
        ("wanted fields out of bounds", |_, r| r.with(Request::WANTED, &[1, 0x7fff_0000, 3]), "out of bounds"),
    ];
    for (name, change, says) in cases {
        let fault = fault(&Guest::new().asking(change));
        assert_eq!(fault.kind, FaultKind::Trap, "{name}: {fault}");
        assert!(fault.text.starts_with("`plan.start` ") && fault.text.contains(says), "{name}: {fault}");
    }
}

#[test]
fn other_arguments_that_cannot_be_read_trap_as_well() {
    for (name, text, says) in [
        ("level", "(call $log (i32.const 9) (i32.const 1024) (i32.const 1))", "discriminant"),
        ("log text", "(call $log (i32.const 1) (i32.const -8) (i32.const 100))", "out of bounds"),
        ("verdict", "(call $finish (i32.const 4) (i32.const 0) (i32.const 0))", "discriminant"),
        ("verdict's text", "(call $finish (i32.const 2) (i32.const -8) (i32.const 100))", "out of bounds"),
        ("message", "(call $write (i32.const 0) (i32.const 2) (i32.const 0) (i32.const 0))", "discriminant"),
        ("since", "(call $mark (i32.const 0) (i32.const 3) (i32.const 0) (i32.const 1))", "discriminant"),
        ("close text", "(call $close (i32.const 0) (i32.const 1000) (i32.const -1) (i32.const 2))", "out of bounds"),
        ("the request's place", "(drop (call $send (i32.const -4)))", ""),
        ("the request off its alignment", "(drop (call $send (i32.const 1025)))", "not aligned"),
        (
            "the end of memory",
            "(drop (call $send (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 8))))",
            "",
        ),
    ] {
        let fault = fault(&Guest::new().first("[method]plan.start", text));
        assert_eq!(fault.kind, FaultKind::Trap, "{name}: {fault}");
        assert!(fault.text.contains(says), "{name}: {fault}");
    }
}

#[test]
fn a_handle_that_is_not_the_plugins_own_to_give_is_a_trap() {
    for (name, text) in [
        ("none", "(i32.const 0)"),
        ("one that never was", "(i32.const 999)"),
        ("one of another kind", "(call $new_plan (i32.const 1))"),
        (
            "one that is dropped",
            "(local $h i32) (local.set $h (call $new_iteration (i32.const 1))) (call $drop_iteration (local.get $h)) (local.get $h)",
        ),
        (
            "one dropped twice",
            "(local $h i32) (local.set $h (call $new_iteration (i32.const 1))) (call $drop_iteration (local.get $h)) (call $drop_iteration (local.get $h)) (i32.const 0)",
        ),
        ("one dropped as another kind", "(call $drop_plan (call $new_iteration (i32.const 1))) (i32.const 0)"),
    ] {
        let fault = fault(&Guest::new().body("[method]plan.start", text));
        assert_eq!(fault.kind, FaultKind::Trap, "{name}: {fault}");
        assert!(fault.text.contains("handle") || fault.text.contains("resource"), "{name}: {fault}");
    }
}

#[test]
fn a_handle_given_twice_is_a_trap_the_second_time() {
    let twice = "(if (i32.eqz (global.get $given)) (then (global.set $given (call $new_iteration (i32.const 5))))) (global.get $given)";
    let guest = Guest::new().define("(global $given (mut i32) (i32.const 0))").body("[method]plan.start", twice);
    let mut instance = instance(&guest);
    let _first = instance.start(&arrival(0)).expect("it is the plugin's to give");
    let fault = instance.start(&arrival(1)).map(drop).expect_err("the engine has it");
    assert!(fault.text.contains("handle"), "{fault}");
}

#[test]
fn handles_that_a_plugin_keeps_are_bounded_over_all_its_iterations() {
    let leak = "(local $n i32) (loop $more (drop (call $new_iteration (i32.const 0))) \
                (local.set $n (i32.add (local.get $n) (i32.const 1))) \
                (br_if $more (i32.lt_u (local.get $n) (i32.const 1000))))";
    let mut instance = instance(&Guest::new().first("[method]plan.start", leak));
    let ended = (0..200).find_map(|index| match instance.start(&arrival(index)) {
        Ok(flow) => instance.end(flow).err(),
        Err(fault) => Some(fault),
    });
    assert!(ended.expect("200,000 handles are too many").text.contains("handle limit exceeded"));
}

#[test]
fn lists_are_bounded_by_number_and_by_bytes() {
    // As much memory as it likes: the engine's own copy is what is bounded.
    let limits = Limits { memory: 1 << 30, call: std::time::Duration::from_secs(10), ..limits() };
    let started = |guest: &Guest| {
        let plugin = load_under(limits.clone(), guest).unwrap();
        let mut instance = Instance::new(&plugin, "{}", None).unwrap();
        let started = instance.start(&arrival(0)).map(drop);
        let mut actions = Vec::new();
        instance.take_actions(&mut actions);
        (started, actions)
    };
    // A million pairs of empty texts, all zeros in fresh memory.
    let many = |count: u32| {
        Guest::new().pages(1_000).asking(move |_, request| request.with(Request::FIELDS, &[1 << 20, count]))
    };
    let (fine, actions) = started(&many(1_000_000));
    fine.unwrap();
    let [Action::Impossible { detail, .. }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(detail, "a list of 1000000 elements where 10000 are allowed (limits.plugin.list)");
    let fault = started(&many(3_000_000)).0.unwrap_err();
    assert!(fault.text.contains("too much data"), "{fault}");

    // A body of 200 MB; and one text of 1 MiB that a thousand fields share.
    let big = Guest::new().pages(4_000).asking(|_, request| request.with(Request::BODY, &[1, 1 << 20, 200_000_000]));
    let fault = started(&big).0.unwrap_err();
    assert!(fault.text.contains("too much data"), "{fault}");
    let shared = Guest::new().pages(64).asking(|image, request| {
        let words: Vec<u32> = std::iter::repeat_n([1 << 20, 1 << 20, 1 << 20, 1 << 20], 1_000).flatten().collect();
        let list = image.words(&words);
        request.with(Request::FIELDS, &[list, 1_000])
    });
    let fault = started(&shared).0.unwrap_err();
    assert!(fault.text.contains("too much data"), "{fault}");
}

#[test]
fn a_refusal_of_the_configuration_is_cut_and_must_be_text() {
    let refusing = |text: [u32; 2]| {
        let [at, length] = text;
        Guest::new().pages(200).body(
            "[static]plan.configure",
            &format!(
                "(i32.store (i32.const 60000) (i32.const 1)) (i32.store (i32.const 60004) (i32.const {at})) \
                 (i32.store (i32.const 60008) (i32.const {length})) (i32.const 60000)"
            ),
        )
    };
    let Err(Refused::Config(text)) = Instance::new(&load(&refusing([1 << 17, 10 << 20])), "{}", None).map(drop) else {
        panic!("it refuses")
    };
    // Zeros, cut at 4 KiB and escaped.
    assert_eq!(text.len(), 4096 * "\\u{0}".len() + '…'.len_utf8());
    let beyond = Instance::new(&load(&refusing([0, 0x7fff_ffff])), "{}", None).map(drop).unwrap_err();
    assert!(beyond.to_string().contains("out of bounds"), "{beyond}");
    let neither =
        Guest::new().body("[static]plan.configure", "(i32.store (i32.const 60000) (i32.const 7)) (i32.const 60000)");
    let neither = Instance::new(&load(&neither), "{}", None).map(drop).unwrap_err();
    assert!(neither.to_string().contains("discriminant"), "{neither}");
}

#[test]
fn a_description_that_breaks_its_bounds_refuses_the_file() {
    let described = |change: &dyn Fn(&mut Image, &mut Vec<u32>)| {
        let mut guest = Guest::new().pages(100);
        let mut words = [guest.image.text(b"raw"), guest.image.text(b"1"), [0, 0], [0, 0], [0, 0]].concat();
        change(&mut guest.image, &mut words);
        let at = guest.image.words(&words);
        let refused = load_under(limits(), &guest.body("describe", &format!("(i32.const {at})")));
        refused.map(drop).expect_err("it is out of bounds").what
    };
    let metric = |image: &mut Image, name: &[u8], kind: u32| {
        let [at, length] = image.text(name);
        image.words(&[at, length, kind, 0, 0, 0, 0])
    };
    for (change, says) in [
        (
            &(|i: &mut Image, w: &mut Vec<u32>| w[..2].copy_from_slice(&i.text(b"../etc/x")))
                as &dyn Fn(&mut Image, &mut Vec<u32>),
            r#"describes itself wrongly: name "../etc/x": 1 to 64 lower-case letters, digits and `_`"#,
        ),
        (&|_, w| w[8..].copy_from_slice(&[1 << 17, 2 << 20]), "bytes of texts where 1048576 are allowed"),
        (&|_, w| w[6..8].copy_from_slice(&[1 << 17, 65]), "65 metrics where 64 are allowed"),
        (&|_, w| w[6..8].copy_from_slice(&[1 << 17, 1]), r#"metric "": 1 to 64"#),
        (&|i, w| w[6..8].copy_from_slice(&[metric(i, b"a", 9), 1]), "discriminant"),
        (&|i, w| w[8..].copy_from_slice(&i.text(b"{\"type\":")), "the schema of its configuration is no JSON"),
    ] {
        let refused = described(change);
        assert!(refused.contains(says), "{says}: {refused}");
    }
}
