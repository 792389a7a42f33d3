//! Commands about users: who is in an organization, and out of it.

use super::commands::{WHO, service};
use super::settings::{UserArgs, UserCommand};
use crate::service::Failure;
use crate::store::StoreError;

pub(super) async fn user(args: UserArgs) -> Result<(), String> {
    let service = service(&args.store).await?;
    let store = service.store();
    let say = |error: StoreError| error.to_string();
    let organization = async |name: &str| {
        let found = store.organization(name).await.map_err(say)?;
        found.ok_or_else(|| format!("there is no organization {name:?}"))
    };
    match args.command {
        UserCommand::List { org } => {
            let organization = organization(&org).await?;
            let mut teams = Vec::new();
            for team in store.teams(&organization.id).await.map_err(say)? {
                teams.push((store.members(&team.id).await.map_err(say)?, team.name));
            }
            for user in store.users_of(&organization.id).await.map_err(say)? {
                let theirs = teams
                    .iter()
                    .filter(|(members, _)| members.contains(&user))
                    .map(|(_, name)| name.as_str());
                println!(
                    "{}\t{}\t{}",
                    user.id,
                    user.name,
                    theirs.collect::<Vec<_>>().join(", ")
                );
            }
        }
        UserCommand::Remove { name, org } => {
            let user = store
                .user(&name)
                .await
                .map_err(say)?
                .ok_or_else(|| format!("there is no user {name:?}"))?;
            let place = match &org {
                Some(org) => Some(organization(org).await?.id),
                None => None,
            };
            let removed = service
                .remove_named(WHO, &user, place.as_ref())
                .await
                .map_err(|failure: Failure| failure.to_string())?;
            if !removed {
                return Err(format!("user {name} has no team and no token there"));
            }
            println!("User {name} has no team and no token there any more.");
        }
    }
    Ok(())
}
