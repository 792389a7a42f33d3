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
    ::std::assert_eq!(machine.all.as_deref(), ::std::option::Option::Some(&[1, 2][..]));
    ::std::assert_eq!(machine.disk, ::std::option::Option::Some(Disk { size: ::std::option::Option::Some(8) }));
    ::std::assert_eq!(machine.kept, ::std::option::Option::None);
    ::std::assert_eq!(machine.limits, [::std::option::Option::None, ::std::option::Option::Some(1)]);
    ::std::assert_eq!(machine.rules.get("web"), ::std::option::Option::Some(&Rule { port: 443 }));
    ::std::assert_eq!(machine.hint, ::std::option::Option::None);
}
