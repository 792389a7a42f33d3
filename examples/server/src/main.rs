//! The State Versions service for the provider resources of the examples:
//! `cargo run -q -p realworld-server -- --demo`.
//!
//! With `--demo` it serves an organization called `demo`, with states that earlier releases of the providers wrote and a night behind it, from a folder that goes
//! when the server ends (or from `--data DIR`), and prints its URL and a token. `--fleet 1000` makes as many workspaces of teams, in place of 60; whatever
//! else follows `--demo` goes to `serve`. Without `--demo` it is the service's own command line.

mod night;

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use upstate::Registry;
use upstate_compat::lock::Lock;
use upstate_examples::realworld::google::ProviderConfig;
use upstate_server::__internal::model::Permissions;
use upstate_server::__internal::service::{Conduct, Service, TokenFor};
use upstate_server::__internal::store::sqlite::Sqlite;

use night::{Clock, Scene};

/// The states of the example, all in one file.
const STATE: &str = include_str!("../../state/terraform.tfstate");

/// The lock of the examples, which knows one release.
const LOCK: &str = include_str!("../../upstate.lock");

const ORGANIZATION: &str = "demo";

fn main() -> ExitCode {
    let registry = upstate_examples::registry().with_client(ProviderConfig::from_env());
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let Some(demo) = arguments.iter().position(|argument| argument == "--demo") else {
        return upstate_server::run(registry, arguments);
    };
    if arguments.get(1).is_some_and(|first| first == "--") {
        eprintln!(
            "realworld-server: `--` before --demo says that no flags follow. Remove it; with cargo, one is enough:\n  \
             cargo run -q -p realworld-server -- --demo"
        );
        return ExitCode::from(2);
    }
    arguments.remove(demo);
    let fleet = match fleet(&mut arguments) {
        Ok(fleet) => fleet,
        Err(error) => {
            eprintln!("realworld-server: {error}");
            return ExitCode::from(2);
        }
    };
    match start(registry, arguments, fleet) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("realworld-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Takes `--fleet NUMBER` out of the arguments.
fn fleet(arguments: &mut Vec<OsString>) -> Result<usize, String> {
    let Some(at) = arguments.iter().position(|argument| argument == "--fleet") else {
        return Ok(night::FLEET);
    };
    arguments.remove(at);
    let number = (at < arguments.len()).then(|| arguments.remove(at));
    let number = number
        .and_then(|number| number.to_str()?.parse().ok())
        .filter(|number| (1..=10_000).contains(number));
    number.ok_or_else(|| "--fleet takes a number of workspaces, from 1 to 10000".to_owned())
}

fn start(
    registry: Registry,
    mut arguments: Vec<OsString>,
    fleet: usize,
) -> Result<ExitCode, Box<dyn Error>> {
    let given = arguments
        .iter()
        .position(|argument| argument == "--data")
        .and_then(|at| arguments.get(at + 1))
        .cloned();
    // Kept until the server has ended.
    let temporary = tempfile::tempdir()?;
    let folder = given
        .clone()
        .unwrap_or_else(|| temporary.path().as_os_str().to_owned());
    let lock = night::with_earlier_release(LOCK);
    let lock_file = temporary.path().join("upstate.lock");
    std::fs::write(&lock_file, &lock)?;
    let token = fill(Path::new(&folder), &lock, fleet)?;
    println!("organization {ORGANIZATION}; sign in with the token {token}");
    arguments.insert(1, OsString::from("serve"));
    if given.is_none() {
        arguments.extend([OsString::from("--data"), folder]);
    }
    if !arguments.iter().any(|argument| argument == "--lock") {
        arguments.extend([OsString::from("--lock"), lock_file.into()]);
    }
    Ok(upstate_server::run(registry, arguments))
}

/// The hours since the first state of the demo was stored.
const SINCE: Duration = Duration::from_hours(8);

/// Makes the organization with its workspaces, where they are missing; a token of its owner.
fn fill(folder: &Path, lock: &str, fleet: usize) -> Result<String, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let store = Arc::new(Sqlite::open(folder).await?);
        let clock = Clock::behind(SINCE);
        let time = clock.clone();
        let registry = upstate_examples::registry().with_client(ProviderConfig::from_env());
        let service =
            Service::with_clock(store, Conduct::default(), Arc::new(move || time.now())).await?;
        let service = service.knowing(registry, Lock::parse(lock)?);
        let (organization, _) = service
            .ensure_organization(ORGANIZATION, ORGANIZATION)
            .await?;
        service
            .make_owner(ORGANIZATION, "owner", &organization.id)
            .await?;
        let owner = TokenFor::Member {
            name: "owner".to_owned(),
            organization: organization.id.clone(),
            within: Permissions::ALL,
        };
        let token = service
            .create_token(ORGANIZATION, owner, "of the demo", None, None)
            .await?
            .secret;
        let principal = service.authenticate(&token).await?;
        let whole: Map<String, Value> = serde_json::from_str(STATE)?;
        let id = &organization.id;
        let organization = (ORGANIZATION, id);
        let scene = Scene {
            service: &service,
            clock: &clock,
            owner: &principal,
            organization,
            whole: &whole,
            fleet,
        };
        if service.store().workspace(id, "everything").await?.is_none() {
            for (name, description, state) in states(&scene)? {
                scene.add(&name, &description, state).await?;
            }
            scene.play().await?;
        }
        Ok(token)
    })
}

/// The name of a workspace, what it is for, and its state.
type Demo = (String, String, String);

/// A workspace with everything, and one for each resource type.
fn states(scene: &Scene<'_>) -> Result<Vec<Demo>, Box<dyn Error>> {
    let resources = scene
        .whole
        .get("resources")
        .and_then(Value::as_array)
        .ok_or("the example state has no resources")?;
    let mut types: Vec<&str> = resources
        .iter()
        .filter_map(|resource| resource.get("type")?.as_str())
        .collect();
    types.sort_unstable();
    types.dedup();
    let mut states = vec![(
        "everything".to_owned(),
        "Every resource of the example".to_owned(),
        STATE.to_owned(),
    )];
    for name in types {
        let own = resources
            .iter()
            .filter(|resource| resource.get("type").and_then(Value::as_str) == Some(name));
        let text = scene.state_of(own.cloned().collect())?;
        states.push((
            name.to_owned(),
            format!("The example's resources of type {name}"),
            text,
        ));
    }
    Ok(states)
}
