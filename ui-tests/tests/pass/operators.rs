//! Every operator, where nothing is in scope.

/// A machine.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0, model = prior::MachineV0,
    rename(zone => location, label => title, existing = keep),
    copy(location_name => display),
    drop(checksum, settings.old, "the API computes it"),
    default((size, width) = 1, when = (null, 0)),
    default(home = default_home()),
    set(kind = "machine", fixed = FIXED),
    set(spare = null),
    null_if(note, "", "none"),
    convert(memory, empty = null),
    convert(policy, json),
    convert(price, with = prior::to_cents),
    convert(owner, with = prior::owned, context),
    values(tier, "gold" => "large", "old" => null, _ => keep),
    reformat(id, "{project}/{name}" => "projects/{project}/{location_name:upper}/{name}", "{_}!{rest..}" => "{rest}", ignore_case),
    reformat(address = "{host}:{port}"),
    reformat(path, "/Groups/{group}", ignore_case, _ => keep),
    split(pair, "{left}={right}"),
    split(tags, ","),
    join(words, " "),
    merge(some, more => all),
    merge(maps),
    unwrap(disk, many = first, empty = object),
    unwrap(named, member = id),
    wrap(only),
    wrap(kept, empty = null),
    wrap(held, as = id),
    rekey(rules, by = name),
    rekey(labels, key = "k", value = "v"),
    nest(x, y => point),
    unnest(settings => mode),
    filter(items, empty),
    each(convert(ports), null_if(limits, 0)),
    only_if(
        all(has(mode_hint), not(is(mode_hint, "", null)), any(lacks(note), fits(note, "{a}-{b..}"))),
        set(hint = "hinted"),
        only_if(is(size, 3), warn(mode_hint, "a hint"), refuse("three is too many")),
    ),
    drop(mode_hint, "a hint is no state"),
    warn("Read the upgrade guide."),
)]
pub struct Machine {
    /// A member.
    pub id: ::std::string::String,
    /// A member.
    pub location: ::std::option::Option<::std::string::String>,
    /// A member.
    pub location_name: ::std::string::String,
    /// A member.
    pub title: ::std::option::Option<::std::string::String>,
    /// A member.
    pub display: ::std::string::String,
    /// A member.
    pub size: i64,
    /// A member.
    pub width: i64,
    /// A member.
    pub home: ::std::string::String,
    /// A member.
    pub kind: ::std::string::String,
    /// A member.
    pub fixed: i64,
    /// A member.
    pub spare: ::std::option::Option<bool>,
    /// A member.
    pub note: ::std::option::Option<::std::string::String>,
    /// A member.
    pub memory: ::std::option::Option<i64>,
    /// A member.
    pub policy: ::std::vec::Vec<i64>,
    /// A member.
    pub price: i64,
    /// A member.
    pub owner: ::std::string::String,
    /// A member.
    pub tier: ::std::option::Option<::std::string::String>,
    /// A member.
    pub address: ::std::string::String,
    /// A member.
    pub host: ::std::string::String,
    /// A member.
    pub port: i64,
    /// A member.
    pub path: ::std::string::String,
    /// A member.
    pub left: ::std::string::String,
    /// A member.
    pub right: ::std::string::String,
    /// A member.
    pub tags: ::std::vec::Vec<::std::string::String>,
    /// A member.
    pub words: ::std::string::String,
    /// A member.
    pub all: ::std::option::Option<::std::vec::Vec<i64>>,
    /// A member.
    pub maps: ::std::option::Option<::std::collections::BTreeMap<::std::string::String, i64>>,
    /// A member.
    pub disk: ::std::option::Option<Disk>,
    /// A member.
    pub named: ::std::option::Option<::std::string::String>,
    /// A member.
    pub only: ::std::vec::Vec<i64>,
    /// A member.
    pub kept: ::std::option::Option<::std::vec::Vec<i64>>,
    /// A member.
    pub held: ::std::option::Option<Named>,
    /// A member.
    pub rules: ::std::collections::BTreeMap<::std::string::String, Rule>,
    /// A member.
    pub labels: ::std::collections::BTreeMap<::std::string::String, ::std::string::String>,
    /// A member.
    pub point: ::std::option::Option<Point>,
    /// A member.
    pub mode: ::std::string::String,
    /// A member.
    pub items: ::std::vec::Vec<::std::string::String>,
    /// A member.
    pub ports: ::std::vec::Vec<::std::string::String>,
    /// A member.
    pub limits: ::std::vec::Vec<::std::option::Option<i64>>,
    /// A member.
    pub hint: ::std::option::Option<::std::string::String>,
}

/// A disk.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Object)]
#[upgrade_from(model = prior::DiskV0, rename(gb => size))]
pub struct Disk {
    /// A member.
    pub size: ::std::option::Option<i64>,
}

/// Something with an id.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Object)]
pub struct Named {
    /// A member.
    pub id: ::std::option::Option<::std::string::String>,
}

/// A rule.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Object)]
#[upgrade_from(model = prior::RuleV0, drop(name, "it is the key"))]
pub struct Rule {
    /// A member.
    pub port: i64,
}

/// A point.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Object)]
pub struct Point {
    /// A member.
    pub x: ::std::option::Option<i64>,
    /// A member.
    pub y: ::std::option::Option<i64>,
}

const FIXED: i64 = 7;

const fn default_home() -> &'static str {
    "home"
}

mod prior {
    #[derive(::upstate::Resource)]
    #[resource(type_name = "machine", version = 0)]
    pub(super) struct MachineV0 {
        id: ::std::string::String,
        zone: ::std::option::Option<::std::string::String>,
        location_name: ::std::string::String,
        label: ::std::option::Option<::std::string::String>,
        title: ::std::option::Option<::std::string::String>,
        checksum: ::std::string::String,
        size: ::std::option::Option<i64>,
        width: ::std::option::Option<i64>,
        home: ::std::option::Option<::std::string::String>,
        note: ::std::string::String,
        memory: ::std::string::String,
        policy: ::std::string::String,
        price: f64,
        owner: ::std::string::String,
        tier: ::std::string::String,
        host: ::std::string::String,
        port: i64,
        path: ::std::string::String,
        pair: ::std::string::String,
        tags: ::std::string::String,
        words: ::std::vec::Vec<::std::string::String>,
        some: ::std::vec::Vec<i64>,
        more: ::std::vec::Vec<i64>,
        maps: ::std::vec::Vec<::std::collections::BTreeMap<::std::string::String, i64>>,
        disk: ::std::vec::Vec<DiskV0>,
        named: ::std::option::Option<super::Named>,
        only: i64,
        kept: ::std::option::Option<i64>,
        held: ::std::option::Option<::std::string::String>,
        rules: ::std::vec::Vec<RuleV0>,
        labels: ::std::vec::Vec<Label>,
        x: ::std::option::Option<i64>,
        y: ::std::option::Option<i64>,
        settings: Settings,
        items: ::std::vec::Vec<::std::string::String>,
        ports: ::std::vec::Vec<i64>,
        limits: ::std::vec::Vec<i64>,
        mode_hint: ::std::option::Option<::std::string::String>,
    }

    #[derive(::upstate::Object)]
    pub(super) struct DiskV0 {
        gb: ::std::option::Option<i64>,
    }

    #[derive(::upstate::Object)]
    pub(super) struct RuleV0 {
        name: ::std::string::String,
        port: i64,
    }

    #[derive(::upstate::Object)]
    pub(super) struct Label {
        k: ::std::string::String,
        v: ::std::string::String,
    }

    #[derive(::upstate::Object)]
    pub(super) struct Settings {
        mode: ::std::string::String,
        old: ::std::option::Option<bool>,
    }

    #[expect(clippy::cast_possible_truncation, reason = "prices are small")]
    pub(super) fn to_cents(price: f64) -> ::std::result::Result<i64, &'static str> {
        if price < 0.0 {
            ::std::result::Result::Err("a price is not negative")
        } else {
            ::std::result::Result::Ok((price * 100.0) as i64)
        }
    }

    pub(super) fn owned(
        mut owner: ::std::string::String,
        context: &::upstate::UpgradeContext<'_>,
    ) -> ::std::result::Result<::std::string::String, ::upstate::Diagnostics> {
        if owner.is_empty() {
            return ::std::result::Result::Err(::std::convert::Into::into("there is no owner"));
        }
        owner.push_str(" of ");
        owner.push_str(context.type_name());
        ::std::result::Result::Ok(owner)
    }
}

#[test]
fn every_operator_does_its_part() {
    let machine: Machine = super::upgraded(
        0,
        r#"{
            "id": "P/n", "zone": "a", "location_name": "north", "label": "l", "title": null, "checksum": "c", "size": 0, "width": 2,
            "home": null, "note": "none", "memory": "", "policy": "[1,2]", "price": 1.5, "owner": "me", "tier": "gold", "host": "h",
            "port": 80, "path": "/groups/g", "pair": "l=r", "tags": "a,b", "words": ["c", "d"], "some": [1], "more": [2],
            "maps": [{"a": 1}, {"b": 2}], "disk": [{"gb": 8}], "named": {"id": "i"}, "only": 1, "kept": null, "held": "h",
            "rules": [{"name": "web", "port": 443}], "labels": [{"k": "a", "v": "b"}], "x": 1, "y": 2,
            "settings": {"mode": "m", "old": true}, "items": ["", "i"], "ports": [22], "limits": [0, 1], "mode_hint": "h"
        }"#,
    );
    ::std::assert_eq!(machine.id, "projects/P/NORTH/n");
    ::std::assert_eq!(machine.title.as_deref(), ::std::option::Option::Some("l"));
    ::std::assert_eq!((machine.size, machine.width, machine.fixed), (1, 2, 7));
    ::std::assert_eq!(machine.home, "home");
    ::std::assert_eq!(machine.note, ::std::option::Option::None);
    ::std::assert_eq!(machine.price, 150);
    ::std::assert_eq!(machine.owner, "me of machine");
    ::std::assert_eq!((&*machine.address, &*machine.path), ("h:80", "/Groups/g"));
    ::std::assert_eq!((&*machine.left, &*machine.right), ("l", "r"));
    ::std::assert_eq!(
        machine.all.as_deref(),
        ::std::option::Option::Some(&[1, 2][..])
    );
    ::std::assert_eq!(
        machine.disk,
        ::std::option::Option::Some(Disk {
            size: ::std::option::Option::Some(8)
        })
    );
    ::std::assert_eq!(machine.kept, ::std::option::Option::None);
    ::std::assert_eq!(
        machine.limits,
        [::std::option::Option::None, ::std::option::Option::Some(1)]
    );
    ::std::assert_eq!(
        machine.rules.get("web"),
        ::std::option::Option::Some(&Rule { port: 443 })
    );
    ::std::assert_eq!(machine.hint, ::std::option::Option::None);
}

/// Several fields with one type, and a set of blocks in a list.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Resource)]
#[resource(version = 1)]
#[upgrade_from(0 => 1,
    convert((body, output): ::std::option::Option<::std::string::String>, json),
    unwrap(#[block(max = 1)] (front, back): ::std::vec::Vec<Side>),
    rename(old: ::std::vec::Vec<Side> => sides),
)]
pub struct Grouped {
    /// A list, which was JSON.
    pub body: ::std::option::Option<::std::vec::Vec<::std::string::String>>,
    /// A list, which was JSON.
    pub output: ::std::option::Option<::std::vec::Vec<::std::string::String>>,
    /// An object, which was a list of one.
    pub front: ::std::option::Option<Side>,
    /// An object, which was a list of one.
    pub back: ::std::option::Option<Side>,
    /// Blocks, in any order.
    #[block(set)]
    pub sides: ::std::vec::Vec<Side>,
}

/// A side.
#[derive(
    ::std::fmt::Debug,
    ::std::clone::Clone,
    ::std::cmp::PartialEq,
    ::std::cmp::Eq,
    ::std::cmp::PartialOrd,
    ::std::cmp::Ord,
    ::upstate::Object,
)]
pub struct Side {
    /// How long it is.
    pub length: i64,
}

#[test]
fn several_fields_have_one_type() {
    let json = r#"{"body":"[\"a\"]","front":[{"length":1}],"old":[{"length":2},{"length":1}]}"#;
    let grouped: Grouped = super::upgraded(0, json);
    ::std::assert_eq!(grouped.body.unwrap_or_default(), ["a"]);
    ::std::assert_eq!(
        grouped.front,
        ::std::option::Option::Some(Side { length: 1 })
    );
    ::std::assert_eq!(grouped.sides, [Side { length: 1 }, Side { length: 2 }]);
    let [block] = <Grouped as ::upstate::Resource>::schema().block().blocks() else {
        ::std::panic!("one kind of blocks")
    };
    ::std::assert_eq!(block.nesting(), ::upstate::schema::Nesting::Set);
}

/// Names that are no identifiers.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Resource)]
#[resource(version = 2)]
#[upgrade_from(1 => 2,
    rename("old-name": ::std::string::String => name),
    drop("a-b": ::std::option::Option<i64>, "nobody used it"),
    only_if(has("a-b"), warn("the number is gone")),
    rename(parts: ::std::option::Option<{ "c.d": ::std::option::Option<i64> }> => part),
    convert(part),
)]
#[upgrade_from(0 => 1, rename("older name" => "old-name"))]
pub struct Quoted {
    /// Its name.
    pub name: ::std::string::String,
    /// A map, which was an object.
    pub part: ::std::option::Option<::std::collections::BTreeMap<::std::string::String, i64>>,
}

#[test]
fn names_in_quotes_are_those_in_state() {
    let quoted: Quoted = super::upgraded(0, r#"{"older name":"x","a-b":7,"parts":{"c.d":1}}"#);
    ::std::assert_eq!(quoted.name, "x");
    ::std::assert_eq!(
        quoted.part.and_then(|part| part.get("c.d").copied()),
        ::std::option::Option::Some(1)
    );
    let report = ::upstate::Registry::new().with::<Quoted>();
    let request = ::upstate::UpgradeRequest::json("quoted", 1, br#"{"old-name":"x","a-b":7}"#);
    let response = report.upgrade(&request);
    let [dropped] = response.dropped() else {
        ::std::panic!("one value")
    };
    ::std::assert_eq!(::std::string::ToString::to_string(&dropped.path), "a-b");
}

/// What may be shown, although it was sensitive.
#[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::upstate::Resource)]
#[resource(type_name = "shown", version = 2)]
#[upgrade_from(0, model = ShownV0,
    carry(token, declassified = "the API shows it"),
    split(pair, "{user}:{password}", declassified = "a name is no secret"),
    rename(inner.key => key, declassified = "it is a public key"),
)]
#[upgrade_from(1 => 2, rename(#[attribute(sensitive)] name: ::std::string::String => user, declassified = "a name is no secret"))]
pub struct Shown {
    /// A token.
    pub token: ::std::string::String,
    /// A name.
    pub user: ::std::string::String,
    /// A secret.
    #[attribute(sensitive)]
    pub password: ::std::string::String,
    /// A key.
    pub key: ::std::option::Option<::std::string::String>,
}

/// As it was.
#[derive(::std::fmt::Debug, ::upstate::Resource)]
#[resource(type_name = "shown", version = 0, prior)]
pub struct ShownV0 {
    /// A token.
    #[attribute(sensitive)]
    pub token: ::std::string::String,
    /// A name and a secret.
    #[attribute(sensitive)]
    pub pair: ::std::string::String,
    /// A key.
    pub inner: ::std::option::Option<ShownInner>,
}

/// A key.
#[derive(::std::fmt::Debug, ::upstate::Object)]
pub struct ShownInner {
    /// A key.
    #[attribute(sensitive)]
    pub key: ::std::option::Option<::std::string::String>,
}

#[test]
fn what_is_declassified_is_shown() {
    let shown: Shown = super::upgraded(0, r#"{"token":"t","pair":"u:p","inner":{"key":"k"}}"#);
    ::std::assert_eq!(
        (
            shown.token.as_str(),
            shown.user.as_str(),
            shown.password.as_str()
        ),
        ("t", "u", "p")
    );
    ::std::assert_eq!(shown.key.as_deref(), ::std::option::Option::Some("k"));
}
