//! The models of these tests.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::option;
use proptest::prelude::*;
use upstate::{Object, Resource};

/// Settings of an application, as release 3 writes them.
#[derive(Debug, Clone, PartialEq, Default, Resource)]
#[resource(type_name = "app_settings", version = 3)]
#[upgrade_from(2 => 3, rename(colour => theme), rename(window.zoom: f64 => zoom), convert(retries: String, empty = null))]
#[upgrade_from(0, model = SettingsV0)]
#[upgrade_from(1, never_released)]
pub(crate) struct Settings {
    pub(crate) theme: Option<String>,
    pub(crate) zoom: Option<f64>,
    pub(crate) retries: Option<u8>,
    pub(crate) started: Option<String>,
    pub(crate) tags: Option<BTreeSet<String>>,
    pub(crate) labels: Option<BTreeMap<String, String>>,
    pub(crate) window: Option<Window>,
    pub(crate) servers: Option<Vec<Server>>,
    #[attribute(sensitive)]
    pub(crate) token: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Object)]
pub(crate) struct Window {
    pub(crate) width: Option<i64>,
    pub(crate) height: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Default, Object)]
pub(crate) struct Server {
    pub(crate) host: String,
    pub(crate) port: Option<u16>,
}

#[derive(Debug, Resource)]
#[resource(type_name = "app_settings", version = 0, prior)]
pub(crate) struct SettingsV0 {
    pub(crate) dark: Option<bool>,
    /// Called `token` today, which no upgrader says.
    #[attribute(sensitive)]
    pub(crate) key: Option<String>,
}

impl From<SettingsV0> for Settings {
    fn from(prior: SettingsV0) -> Self {
        let theme = prior
            .dark
            .map(|dark| if dark { "dark" } else { "light" }.to_owned());
        Settings {
            theme,
            token: prior.key,
            ..Settings::default()
        }
    }
}

/// Any settings.
pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let string = "[ -~é\n\r\t\"'\\\\\u{1}\u{7f}\u{85}\u{2028}\u{feff}#]{0,6}";
    let window = (option::of(any::<i64>()), option::of(any::<i64>()))
        .prop_map(|(width, height)| Window { width, height });
    let server = (string, option::of(any::<u16>())).prop_map(|(host, port)| Server { host, port });
    let zoom = any::<f64>().prop_filter("finite", |zoom| zoom.is_finite());
    (
        (
            option::of(string),
            option::of(zoom),
            option::of(any::<u8>()),
            option::of(string),
        ),
        option::of(btree_set(string, 0..4)),
        option::of(btree_map(string, string, 0..4)),
        option::of(window),
        option::of(vec(server, 0..4)),
        option::of(string),
    )
        .prop_map(
            |((theme, zoom, retries, started), tags, labels, window, servers, token)| Settings {
                theme,
                zoom,
                retries,
                started,
                tags,
                labels,
                window,
                servers,
                token,
            },
        )
}

/// Settings whose members were put elsewhere.
#[derive(Debug, upstate::Document)]
#[document(type_name = "moved", version = 1)]
#[upgrade_from(0 => 1,
    nest(lat, lng => place),
    unwrap(log: Vec<Log>, empty = refuse),
    wrap(peers: Peer),
    merge(labels: BTreeMap<String, String>, tags: BTreeMap<String, String> => labels),
    rename(title => name, existing = keep))]
pub(crate) struct Moved {
    name: String,
    place: Place,
    log: Log,
    peers: Vec<Peer>,
    labels: BTreeMap<String, String>,
}

#[derive(Debug, upstate::Document)]
pub(crate) struct Place {
    lat: f64,
    lng: f64,
}

#[derive(Debug, upstate::Document)]
pub(crate) struct Log {
    level: String,
}

#[derive(Debug, upstate::Document)]
pub(crate) struct Peer {
    host: String,
}
