//! Upgraders of nested objects, wherever these stand, also private and in modules of one name.

/// A firewall.
#[derive(::upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = prior::Firewall, carry)]
pub struct Firewall {
    /// In an `Option`.
    first: ::std::option::Option<current::Rule>,
    /// In a list.
    list: ::std::vec::Vec<current::Rule>,
    /// In a map.
    map: ::std::collections::BTreeMap<::std::string::String, current::Rule>,
    /// In blocks.
    #[block(max = 2)]
    block: ::std::vec::Vec<current::Rule>,
}

mod current {
    #[derive(::upstate::Object)]
    #[upgrade_from(model = super::prior::Rule, rename(from => port), nest(source => peer))]
    #[upgrade_from(model = super::prior::Range, rename(start => port, peer.name => peer.source))]
    pub(super) struct Rule {
        pub(super) port: i64,
        pub(super) peer: ::std::option::Option<Peer>,
    }

    #[derive(::upstate::Object)]
    #[object(crate = ::upstate)]
    pub(super) struct Peer {
        pub(super) source: ::std::option::Option<::std::string::String>,
    }
}

mod prior {
    #[derive(::upstate::Resource)]
    #[resource(version = 0)]
    pub(super) struct Firewall {
        first: ::std::option::Option<Rule>,
        list: ::std::vec::Vec<Range>,
        map: ::std::collections::BTreeMap<::std::string::String, Rule>,
        #[block(max = 2)]
        block: ::std::vec::Vec<Rule>,
    }

    #[derive(::upstate::Object)]
    pub(super) struct Rule {
        from: i64,
        source: ::std::option::Option<::std::string::String>,
    }

    #[derive(::upstate::Object)]
    pub(super) struct Range {
        start: i64,
        peer: ::std::option::Option<Name>,
    }

    #[derive(::upstate::Object)]
    pub(super) struct Name {
        name: ::std::option::Option<::std::string::String>,
    }
}

#[test]
fn nested_objects_are_carried_wherever_they_stand() {
    let firewall: Firewall = super::upgraded(
        0,
        r#"{
            "first": {"from": 1, "source": "a"}, "list": [{"start": 2, "peer": {"name": "b"}}],
            "map": {"m": {"from": 3, "source": null}}, "block": [{"from": 4, "source": null}]
        }"#,
    );
    ::std::assert_eq!(
        firewall.first.as_ref().map(|rule| rule.port),
        ::std::option::Option::Some(1)
    );
    let source = firewall
        .first
        .and_then(|rule| rule.peer)
        .and_then(|peer| peer.source);
    ::std::assert_eq!(source.as_deref(), ::std::option::Option::Some("a"));
    ::std::assert_eq!(
        firewall.list.first().map(|rule| rule.port),
        ::std::option::Option::Some(2)
    );
    ::std::assert_eq!(
        firewall.map.get("m").map(|rule| rule.port),
        ::std::option::Option::Some(3)
    );
    ::std::assert_eq!(
        firewall.block.first().map(|rule| rule.port),
        ::std::option::Option::Some(4)
    );
}
