//! The State Versions service for the provider resources of the examples:
//! `cargo run -q -p realworld-server -- --demo`.
//!
//! With `--demo` it serves an organization called `demo`, with states that earlier releases of the providers wrote, from a folder that goes
//! when the server ends (or from `--data DIR`), and prints its URL and a token. Whatever follows `--demo` goes to `serve`. Without `--demo` it is
//! the service's own command line.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value};
use upstate::Registry;
use upstate_examples::realworld::google::ProviderConfig;
use upstate_server::content::Content;
use upstate_server::model::{Permissions, Principal};
use upstate_server::service::{Conduct, CreateVersion, LockRequest, NewWorkspace, Service, TokenFor};
use upstate_server::store::sqlite::Sqlite;

/// The states of the example, all in one file.
const STATE: &str = include_str!("../../state/terraform.tfstate");

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
    match start(registry, arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("realworld-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn start(registry: Registry, mut arguments: Vec<OsString>) -> Result<ExitCode, Box<dyn Error>> {
    let given = arguments.iter().position(|argument| argument == "--data").and_then(|at| arguments.get(at + 1)).cloned();
    // Kept until the server has ended.
    let temporary = tempfile::tempdir()?;
    let folder = given.clone().unwrap_or_else(|| temporary.path().as_os_str().to_owned());
    let token = fill(Path::new(&folder))?;
    println!("organization {ORGANIZATION}; sign in with the token {token}");
    arguments.insert(1, OsString::from("serve"));
    if given.is_none() {
        arguments.extend([OsString::from("--data"), folder]);
    }
    if !arguments.iter().any(|argument| argument == "--lock") {
        arguments.extend([OsString::from("--lock"), concat!(env!("CARGO_MANIFEST_DIR"), "/../upstate.lock").into()]);
    }
    Ok(upstate_server::run(registry, arguments))
}

/// Makes the organization with its workspaces, where they are missing; a token of its owner.
fn fill(folder: &Path) -> Result<String, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Arc::new(Sqlite::open(folder).await?);
        let service = Service::new(store, Conduct::default()).await?;
        let (organization, _) = service.ensure_organization(ORGANIZATION, ORGANIZATION).await?;
        service.make_owner(ORGANIZATION, "owner", &organization.id).await?;
        let owner =
            TokenFor::Member { name: "owner".to_owned(), organization: organization.id.clone(), within: Permissions::ALL };
        let token = service.create_token(ORGANIZATION, owner, "of the demo", None, None).await?.secret;
        let principal = service.authenticate(&token).await?;
        for (name, description, state) in states()? {
            if service.store().workspace(&organization.id, &name).await?.is_none() {
                add(&service, &principal, name, description, state).await?;
            }
        }
        Ok(token)
    })
}

async fn add(
    service: &Service,
    principal: &Principal,
    name: String,
    description: String,
    state: String,
) -> Result<(), Box<dyn Error>> {
    let new = NewWorkspace { name, description, ..NewWorkspace::default() };
    let workspace = service.create_workspace(principal, ORGANIZATION, new).await?.id;
    let content = Content::read(state.as_bytes());
    let request = CreateVersion {
        serial: content.serial.unwrap_or_default(),
        md5: content.md5,
        state: Some(state.into()),
        ..CreateVersion::default()
    };
    service.lock(principal, &workspace, LockRequest { reason: "the demo".to_owned(), ..LockRequest::default() }).await?;
    service.create(principal, &workspace, request).await?;
    service.unlock(principal, &workspace, None).await?;
    Ok(())
}

/// The name of a workspace, what it is for, and its state.
type Demo = (String, String, String);

/// A workspace with everything, and one for each resource type.
fn states() -> Result<Vec<Demo>, Box<dyn Error>> {
    let whole: Map<String, Value> = serde_json::from_str(STATE)?;
    let resources = whole.get("resources").and_then(Value::as_array).ok_or("the example state has no resources")?;
    let mut types: Vec<&str> = resources.iter().filter_map(|resource| resource.get("type")?.as_str()).collect();
    types.sort_unstable();
    types.dedup();
    let mut states = vec![("everything".to_owned(), "Every resource of the example".to_owned(), STATE.to_owned())];
    for name in types {
        let own = resources.iter().filter(|resource| resource.get("type").and_then(Value::as_str) == Some(name));
        let mut state = whole.clone();
        state.insert("resources".to_owned(), own.cloned().collect());
        let text = format!("{}\n", serde_json::to_string_pretty(&state)?);
        states.push((name.to_owned(), format!("The example's resources of type {name}"), text));
    }
    Ok(states)
}
