// The models as they were released, from which `upstate.lock` beside this file was frozen.

use std::collections::BTreeMap;
use std::net::IpAddr;

use upstate::{Document, Object, Resource, StringEnum, Union};

#[derive(Object)]
pub(crate) struct Rule {
    pub port: u16,
    pub source: Option<String>,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 1)]
#[upgrade_from(0, model = FirewallV0)]
pub(crate) struct Firewall {
    #[attribute(computed)]
    pub id: String,
    #[block(min = 1)]
    pub rule: Vec<Rule>,
    pub label: Option<String>,
    pub fallback: Option<Rule>,
    pub size: i64,
}

#[derive(Resource)]
#[resource(type_name = "locked_firewall", version = 0)]
pub(crate) struct FirewallV0 {
    pub id: String,
    pub rules: Vec<String>,
}

impl From<FirewallV0> for Firewall {
    fn from(prior: FirewallV0) -> Self {
        Self {
            id: prior.id,
            rule: Vec::new(),
            label: None,
            fallback: None,
            size: 0,
        }
    }
}

/// What may widen and may not narrow.
#[derive(StringEnum)]
pub(crate) enum Mode {
    Open,
    #[value(name = "half \"open\"")]
    HalfOpen,
    Shut,
}

#[derive(Resource)]
#[resource(type_name = "locked_gate", version = 0)]
pub(crate) struct Gate {
    pub mode: Mode,
    pub name: String,
    pub port: u16,
    pub weights: Option<Vec<u32>>,
}

#[derive(Object)]
pub(crate) struct Login {
    #[attribute(sensitive)]
    pub password: String,
    pub user: String,
}

#[derive(Resource)]
#[resource(type_name = "locked_vault", version = 0)]
pub(crate) struct Vault {
    pub name: String,
    #[attribute(sensitive)]
    pub token: Option<String>,
    pub logins: Option<Vec<Login>>,
}

#[derive(Document)]
pub(crate) struct Size {
    pub width: u32,
    #[attribute(default = 4)]
    pub height: u32,
}

/// Members of a flattened field are stored beside its own.
#[derive(Document)]
#[document(type_name = "locked_window", version = 0)]
pub(crate) struct Window {
    pub title: String,
    #[attribute(flatten)]
    pub size: Size,
}

#[derive(Union)]
pub(crate) enum State {
    On,
    Dim { level: u8 },
}

/// A field that holds one of several variants.
#[derive(Document)]
#[document(type_name = "locked_lamp", version = 0)]
pub(crate) struct Lamp {
    pub name: String,
    pub state: State,
}

#[derive(Union)]
#[union(tag = "kind")]
pub(crate) enum Kind {
    Letter,
    Card { picture: String },
}

#[derive(Document)]
pub(crate) struct Marks {
    #[attribute(flatten)]
    pub counts: BTreeMap<String, u32>,
}

/// An enum and maps whose members are beside others.
#[derive(Document)]
#[document(type_name = "locked_page", version = 0)]
pub(crate) struct Page {
    pub title: String,
    #[attribute(flatten)]
    pub kind: Kind,
    pub marks: Marks,
    #[attribute(rest)]
    pub rest: BTreeMap<String, serde_json::Value>,
}

#[derive(Union)]
pub(crate) enum Band {
    #[attribute(alias = "AM")]
    Am {
        khz: u16,
    },
    Fm,
}

/// A field and a variant that are read by other names, too.
#[derive(Document)]
#[document(type_name = "locked_radio", version = 0)]
pub(crate) struct Radio {
    pub band: Band,
    #[attribute(alias = "loudness")]
    pub volume: u8,
}

/// Fields that take strings of one form.
#[derive(Document)]
#[document(type_name = "locked_peer", version = 0)]
pub(crate) struct Peer {
    pub address: IpAddr,
    pub name: String,
}

/// Keys of one type, null among elements, and integers in tuples.
#[derive(Document)]
#[document(type_name = "locked_shelf", version = 0)]
pub(crate) struct Shelf {
    pub labels: BTreeMap<u32, String>,
    pub marks: Vec<Option<u8>>,
    pub sizes: Vec<(u16, u16)>,
}

#[derive(Document)]
pub(crate) struct Bin {
    pub depth: u8,
}

#[derive(Union)]
pub(crate) enum Layout {
    Grid(BTreeMap<String, bool>),
    Plain,
}

/// Maps whose keys are any strings.
#[derive(Document)]
#[document(type_name = "locked_rack", version = 0)]
pub(crate) struct Rack {
    pub bins: BTreeMap<String, Bin>,
    #[attribute(flatten)]
    pub counts: BTreeMap<String, u16>,
    pub labels: BTreeMap<String, String>,
    pub layouts: Vec<Layout>,
    pub levels: Vec<BTreeMap<String, u8>>,
}
