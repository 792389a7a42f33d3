//! A data source, an ephemeral resource and functions that do what a test asks, good and bad.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use upstate::{AttributePath, Diagnostic, Diagnostics, Dynamic, Number, Object, Resource};
use upstate_provider::{Context, DataSource, EphemeralResource, Function, Opened, ResourceConfig};

use super::quay::Client;

/// What the author of a module says.
#[derive(Debug, Object)]
pub(crate) struct Meta {
    module: Option<String>,
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Object)]
struct Found {
    name: String,
    depth: Option<f64>,
}

/// A data source.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "quay_probe", conflicts_with(behaviour, quiet))]
pub(crate) struct Probe {
    #[attribute(computed)]
    id: String,
    behaviour: Option<String>,
    quiet: Option<bool>,
    #[attribute(default = 0.5)]
    ratio: Option<f64>,
    #[attribute(sensitive)]
    pin: Option<String>,
    #[attribute(computed)]
    found: Vec<Found>,
    #[attribute(computed, set)]
    names: Vec<String>,
    #[attribute(computed)]
    counts: Option<BTreeMap<String, i64>>,
}

impl DataSource for Probe {
    type Client = Client;

    async fn read(config: Self, context: &mut Context<Client>) -> Result<Self, Diagnostics> {
        assert_eq!(
            (config.id.as_str(), &config.counts),
            ("(not known before it is applied)", &None)
        );
        let pin = config.pin.clone().unwrap_or_default();
        tracing::info!(pin, "probing");
        let behaviour = config.behaviour.clone().unwrap_or_default();
        match behaviour.as_str() {
            "panic" => panic!("the pin is {pin}"),
            "refuse" => {
                let path = AttributePath::new().attribute("behaviour");
                return Err(Diagnostic::error(
                    "Probe Refused",
                    format!("It does not go with the pin {pin}."),
                )
                .at(path)
                .into());
            }
            "say" => return Err("it broke".into()),
            "betray" => return Err(format!("the token is {}", context.client().token).into()),
            "version" => {
                return Ok(Self {
                    id: context.client().terraform_version.clone(),
                    found: vec![],
                    names: vec![],
                    ..config
                });
            }
            "meta" => {
                let module = context.meta::<Meta>()?.and_then(|meta| meta.module);
                return Ok(Self {
                    id: module.unwrap_or_else(|| "none".to_owned()),
                    found: vec![],
                    names: vec![],
                    ..config
                });
            }
            "warn" => context.warn(Diagnostic::warning("Shallow Water", "Mind the keel.")),
            "forget" => return Ok(config),
            "block" => std::thread::sleep(Duration::from_millis(20)),
            _ => {}
        }
        let found = vec![
            Found {
                name: behaviour,
                depth: None,
            },
            Found {
                name: context.client().label.clone(),
                depth: config.ratio,
            },
        ];
        let names = ["b", "a", "b"].map(str::to_owned).to_vec();
        Ok(Self {
            id: "p-1".to_owned(),
            found,
            names,
            counts: Some(BTreeMap::from([("a".to_owned(), 1)])),
            ..config
        })
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if config.get("behaviour").as_str() == Some("invalid") {
            let path = AttributePath::new().attribute("behaviour");
            return Err(
                Diagnostic::error("Invalid Behaviour", "There is no such behaviour.")
                    .at(path)
                    .into(),
            );
        }
        Ok(())
    }
}

/// An ephemeral resource that notes in a file what is done to it.
#[derive(Debug, Clone, Resource)]
#[resource(type_name = "quay_lease")]
pub(crate) struct Lease {
    behaviour: Option<String>,
    log: String,
    #[attribute(computed)]
    secret: Option<String>,
}

fn note(log: &str, what: &str) -> Result<(), Diagnostics> {
    let noted = OpenOptions::new()
        .create(true)
        .append(true)
        .open(log)
        .and_then(|mut file| writeln!(file, "{what}"));
    noted.map_err(|error| error.to_string().into())
}

fn log(context: &Context<Client>) -> String {
    String::from_utf8_lossy(context.private().get("log").unwrap_or_default()).into_owned()
}

impl EphemeralResource for Lease {
    type Client = Client;

    async fn open(
        config: Self,
        context: &mut Context<Client>,
    ) -> Result<Opened<Self>, Diagnostics> {
        context.private_mut().set("log", config.log.as_bytes());
        match config.behaviour.as_deref() {
            Some("refuse") => return Err("no more leases".into()),
            Some("panic") => panic!("the secret is sesame"),
            _ => note(&config.log, "open")?,
        }
        let renews = config.behaviour.as_deref() == Some("renew");
        let opened = Opened::new(Self {
            secret: Some("sesame-1".to_owned()),
            ..config
        });
        Ok(if renews {
            opened.renew_at(SystemTime::now() + Duration::from_millis(100))
        } else {
            opened
        })
    }

    async fn renew(context: &mut Context<Client>) -> Result<Option<SystemTime>, Diagnostics> {
        let log = log(context);
        note(&log, "renew")?;
        let times = context.private().get("times").map_or(0, <[u8]>::len);
        context.private_mut().set("times", vec![b'|'; times + 1]);
        Ok((times < 1).then(|| SystemTime::now() + Duration::from_millis(100)))
    }

    async fn close(context: &mut Context<Client>) -> Result<(), Diagnostics> {
        let times = context.private().get("times").map_or(0, <[u8]>::len);
        note(&log(context), &format!("close after {times}"))
    }

    fn validate(config: &ResourceConfig<Self>) -> Result<(), Diagnostics> {
        if config.get("behaviour").as_str() == Some("invalid") {
            let path = AttributePath::new().attribute("behaviour");
            return Err(
                Diagnostic::error("Invalid Behaviour", "There is no such behaviour.")
                    .at(path)
                    .into(),
            );
        }
        Ok(())
    }
}

/// Gives back what it is given, each as a string of its own.
#[derive(Debug, Resource)]
pub(crate) struct Tell {
    text: String,
    number: Number,
    flag: Option<bool>,
    list: Vec<i64>,
    set: BTreeSet<String>,
    map: BTreeMap<String, Option<f64>>,
    object: Found,
}

impl Function for Tell {
    const PARAMETERS: &'static [&'static str] =
        &["text", "number", "flag", "list", "set", "map", "object"];
    type Output = BTreeMap<String, String>;

    fn call(self) -> Result<Self::Output, Diagnostics> {
        if self.text == "panic" {
            panic!("it is told to");
        }
        let told = [
            ("text", self.text),
            ("number", self.number.to_string()),
            ("flag", format!("{:?}", self.flag)),
            ("list", format!("{:?}", self.list)),
            ("set", format!("{:?}", self.set)),
            ("map", format!("{:?}", self.map)),
            (
                "object",
                format!("{} {:?}", self.object.name, self.object.depth),
            ),
        ];
        Ok(told.map(|(name, told)| (name.to_owned(), told)).into())
    }
}

/// Gives back anything.
#[derive(Debug, Resource)]
pub(crate) struct Echo {
    anything: Dynamic,
}

impl Function for Echo {
    const PARAMETERS: &'static [&'static str] = &["anything"];
    type Output = Dynamic;

    fn call(self) -> Result<Dynamic, Diagnostics> {
        Ok(self.anything)
    }
}

/// The first string that is not null.
#[derive(Debug, Resource)]
pub(crate) struct First {
    texts: Vec<Option<String>>,
}

impl Function for First {
    const PARAMETERS: &'static [&'static str] = &["texts"];
    const VARIADIC: bool = true;
    const MAY_BE_UNKNOWN: &'static [&'static str] = &["texts"];
    type Output = String;

    fn call(self) -> Result<String, Diagnostics> {
        Ok(self.texts.into_iter().flatten().next().unwrap_or_default())
    }

    fn call_early(arguments: &ResourceConfig<Self>) -> Result<Option<String>, Diagnostics> {
        Ok(arguments
            .get(AttributePath::from("texts").index(0))
            .as_str()
            .map(str::to_owned))
    }
}
