use engine_sdk::Rng;
use serde_json::json;

use crate::{Access, Given, Session, Trigger, texts};

#[test]
fn the_configuration_goes_before_what_login_shared() {
    let session = Session {
        access_token: Some("shared".to_owned()),
        organization: Some("org-2".to_owned()),
        ..Session::default()
    };
    let access = Access::new(None, Some("org-1".to_owned()), &session).expect("access");
    assert_eq!((access.token(), access.organization()), ("shared", "org-1"));
    let fields: Vec<_> = access.fields().iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(fields, ["Accept: application/json", "Authorization: Bearer shared", "X-Organization-Id: org-1"]);
}

#[test]
fn a_missing_value_is_refused_with_both_ways_to_give_it() {
    let refusal = |token, organization| Access::new(token, organization, &Session::default()).expect_err("a refusal");
    assert_eq!(refusal(None, None), "config.token: missing; add [[setup]] plugin = \"login\", or give it here");
    assert_eq!(
        refusal(Some("t".to_owned()), None),
        "config.organization: missing; add [[setup]] plugin = \"login\", or give it here"
    );
    assert_eq!(refusal(Some(String::new()), None), "config.token: must not be empty");
    assert_eq!(
        Given::ByLoginWith("trigger_id").take("trigger", None, None).expect_err("a refusal"),
        "config.trigger: missing; add [[setup]] plugin = \"login\" with `trigger_id` in its config, or give it here"
    );
}

#[test]
fn a_token_shows_nowhere() {
    let session = Session::default();
    let refusal = Access::new(Some("bad\ntoken".to_owned()), Some("o".to_owned()), &session).expect_err("a refusal");
    assert_eq!(refusal, "config.token: must be printable ASCII without spaces");
    let access = Access::new(Some("hunter".to_owned()), Some("o".to_owned()), &session).expect("access");
    assert_eq!(format!("{access:?}"), "Access { .. }");
    assert_eq!(access.hide("token hunter expired"), "token *** expired");
}

#[test]
fn a_session_leaves_other_keys_alone_and_shares_only_what_there_is() {
    let shared = json!({ "access_token": "t", "trigger": { "source": "s", "id": "i" }, "agent": null, "other": 3 });
    let session: Session = serde_json::from_value(shared).expect("a session");
    assert_eq!(session.trigger, Some(Trigger { source: "s".to_owned(), id: "i".to_owned() }));
    let again = serde_json::to_value(&session).expect("JSON");
    assert_eq!(again, json!({ "access_token": "t", "trigger": { "source": "s", "id": "i" } }));
}

#[test]
fn a_seed_decides_the_texts() {
    let of = |seed| {
        let mut rng = Rng::from_seed(seed);
        (texts::question(&mut rng), texts::document(&mut rng, 300))
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
    assert_eq!(of(1).1.len(), 300);
    assert!(of(1).0.starts_with("What has to be done when "), "{}", of(1).0);
    let mut rng = Rng::from_seed(3);
    assert_eq!(texts::document(&mut rng, 0), "");
    assert_eq!(texts::document(&mut rng, 1).len(), 1);
    let distinct: std::collections::BTreeSet<_> = (0..200).map(|seed| of(seed).0).collect();
    assert!(distinct.len() > 190, "{}", distinct.len());
}

#[test]
fn given_texts_go_before_questions() {
    let mut rng = Rng::from_seed(1);
    assert_eq!(texts::one_of(&["a".to_owned()], &mut rng), "a");
    assert!(texts::one_of(&[], &mut rng).starts_with("What "));
}
