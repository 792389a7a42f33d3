//! Commands about trusts: whose jobs get tokens for their ID tokens.

use std::collections::BTreeMap;

use super::commands::WHO;
use super::open;
use super::settings::{TrustArgs, TrustCommand};
use crate::model::{Organization, Place, Trust, TrustId};
use crate::service::{Conduct, Failure, NewTrust, Service};
use crate::store::StoreError;

pub(super) async fn trust(args: TrustArgs) -> Result<(), String> {
    let TrustArgs {
        store,
        internal_issuers,
        command,
    } = args;
    let file = store.file()?;
    let kept = open::store(&store, &file).await?;
    let internal_issuers = internal_issuers
        .or(file.internal_issuers)
        .unwrap_or_default();
    let conduct = Conduct {
        internal_issuers,
        ..Conduct::default()
    };
    let service = Service::new(kept, conduct)
        .await
        .map_err(|error| error.to_string())?;
    let say = |failure: Failure| failure.to_string();
    match command {
        TrustCommand::List { org } => {
            let organization = organization(&service, &org).await?;
            for trust in service
                .store()
                .trusts(&organization.id)
                .await
                .map_err(|error| error.to_string())?
            {
                let Trust {
                    id,
                    name,
                    issuer,
                    audience,
                    place,
                    permissions,
                    ..
                } = &trust;
                let (kind, at) = (place.name(), service.place_name(place).await.map_err(say)?);
                println!(
                    "{id}\t{name}\t{issuer}\t{audience}\t{}\t{permissions} in {kind} {at}",
                    trust.claims_text()
                );
            }
        }
        TrustCommand::Add {
            name,
            org,
            issuer,
            audience,
            claims,
            workspace,
            project,
            can,
        } => {
            let organization = organization(&service, &org).await?;
            let place = place(&service, &organization, workspace, project).await?;
            let new = NewTrust {
                name,
                issuer,
                audience,
                claims: claims_of(&claims)?,
                place,
                permissions: can,
            };
            let trust = service
                .make_trust(WHO.to_owned(), organization.id, new)
                .await
                .map_err(say)?;
            println!("{}", trust.id);
        }
        TrustCommand::Remove { id } => {
            let id = TrustId::from_text(id);
            let found = service
                .store()
                .trust(&id)
                .await
                .map_err(|error| error.to_string())?;
            let trust = found
                .ok_or_else(|| format!("there is no trust {id}; `trust list` shows their ids"))?;
            service
                .end_trust(WHO.to_owned(), &trust)
                .await
                .map_err(say)?;
        }
    }
    Ok(())
}

async fn organization(service: &Service, name: &str) -> Result<Organization, String> {
    let found = service
        .store()
        .organization(name)
        .await
        .map_err(|error| error.to_string())?;
    found.ok_or_else(|| format!("there is no organization {name:?}"))
}

/// The workspace or the project that is named.
async fn place(
    service: &Service,
    organization: &Organization,
    workspace: Option<String>,
    project: Option<String>,
) -> Result<Place, String> {
    let say = |error: StoreError| error.to_string();
    let store = service.store();
    let missing = |kind: &str, name: &str| {
        format!("organization {} has no {kind} {name:?}", organization.name)
    };
    match (workspace, project) {
        (Some(name), None) => {
            let found = store
                .workspace(&organization.id, &name)
                .await
                .map_err(say)?;
            Ok(Place::Workspace(
                found.ok_or_else(|| missing("workspace", &name))?.id,
            ))
        }
        (None, Some(name)) => {
            let mut projects = store
                .projects(&organization.id)
                .await
                .map_err(say)?
                .into_iter();
            let found = projects.find(|project| project.name == name);
            Ok(Place::Project(
                found.ok_or_else(|| missing("project", &name))?.id,
            ))
        }
        (None, None) | (Some(_), Some(_)) => {
            Err("name a workspace with --workspace, or a project with --project".to_owned())
        }
    }
}

/// The claims of `NAME=VALUE`, each.
fn claims_of(given: &[String]) -> Result<BTreeMap<String, String>, String> {
    let mut claims = BTreeMap::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            return Err(format!(
                "--claim {text:?} is not like sub=repo:acme/infra:ref:refs/heads/main"
            ));
        };
        if claims.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(format!(
                "--claim {name} is given twice: a trust has one value for it"
            ));
        }
    }
    Ok(claims)
}
