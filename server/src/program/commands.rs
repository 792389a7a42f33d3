//! Commands that work on a store, also while a server runs on it.

use std::time::Duration;

use super::open;
use super::open::StoreArgs;
use super::settings::{AuditArgs, GcArgs, RetentionArgs, TokenArgs, TokenCommand};
use crate::model::{AuditEntry, AuditFilter, Permissions, Timestamp, TokenId, TokenKind};
use crate::rules::{Expired, Policy};
use crate::service::{Conduct, Failure, Service, TokenFor};
use crate::store::{Garbage, Page, StoreError};

pub(super) const WHO: &str = "command line";

/// The permissions of a new team by default: those that Terraform needs.
const OF_A_CLIENT: Permissions = Permissions::CLIENT;

/// The service on the store of a command.
pub(super) async fn service(args: &StoreArgs) -> Result<Service, String> {
    let file = args.file()?;
    let store = open::store(args, &file).await?;
    Service::new(store, Conduct::default())
        .await
        .map_err(|error| error.to_string())
}

pub(super) async fn token(args: TokenArgs) -> Result<(), String> {
    let service = service(&args.store).await?;
    let say = |failure: Failure| failure.to_string();
    match args.command {
        TokenCommand::Create {
            user,
            team,
            workspace,
            org,
            can,
            days,
            description,
        } => {
            let (organization, _) = service.ensure_organization(WHO, &org).await.map_err(say)?;
            let owner = match user {
                Some(name) => {
                    if let Some(team) = team {
                        let team = service
                            .ensure_team(WHO, &organization.id, &team, can.unwrap_or(OF_A_CLIENT))
                            .await;
                        service
                            .join(WHO, &team.map_err(say)?, &name)
                            .await
                            .map_err(say)?;
                    }
                    TokenFor::Member {
                        name,
                        organization: organization.id,
                        within: can.unwrap_or(Permissions::ALL),
                    }
                }
                None if workspace.is_some() => {
                    let name = workspace.unwrap_or_default();
                    let found = service
                        .store()
                        .workspace(&organization.id, &name)
                        .await
                        .map_err(|error| error.to_string())?;
                    TokenFor::Workspace(
                        found
                            .ok_or_else(|| format!("organization {org} has no workspace {name:?}"))?
                            .id,
                    )
                }
                None => TokenFor::Organization(organization.id),
            };
            let lasts = days.map(|days| Duration::from_secs(u64::from(days) * 86_400));
            let made = service
                .create_token(WHO, owner, &description, lasts, None)
                .await
                .map_err(say)?;
            println!("{}", made.secret);
            eprintln!("Token {}, shown this once.", made.token.id);
            let principal = service.authenticate(&made.secret).await.map_err(say)?;
            if principal.organizations().is_empty() {
                eprintln!(
                    "It allows nothing yet, because {} is in no team of {org} that allows what it keeps: make it with --team NAME, or add the user to a \
                     team.",
                    principal.name
                );
            }
            Ok(())
        }
        TokenCommand::List => {
            for token in service
                .store()
                .tokens()
                .await
                .map_err(|error| error.to_string())?
            {
                let owner = owner(&service, &token.kind)
                    .await
                    .map_err(|error| error.to_string())?;
                let expires = token
                    .expires_at
                    .map_or_else(|| "never".to_owned(), |at| at.to_string());
                println!(
                    "{}\t{owner}\tmade {}\texpires {expires}\t{}",
                    token.id, token.created_at, token.description
                );
            }
            Ok(())
        }
        TokenCommand::Revoke { id } => {
            let id = TokenId::from_text(id);
            let entry = AuditEntry {
                at: service.now(),
                who: WHO.to_owned(),
                action: "token.remove".into(),
                organization: None,
                workspace: None,
                subject: id.to_string(),
                detail: String::new(),
            };
            if service
                .store()
                .remove_token(&id, entry)
                .await
                .map_err(|error| error.to_string())?
            {
                Ok(())
            } else {
                Err(format!(
                    "there is no token {id}; `token list` shows their ids"
                ))
            }
        }
    }
}

/// For whom a token speaks, by name.
async fn owner(service: &Service, kind: &TokenKind) -> Result<String, StoreError> {
    let store = service.store();
    let organization = async |id| {
        Ok::<_, StoreError>(
            store
                .organization_by_id(id)
                .await?
                .map(|one| one.name)
                .unwrap_or_default(),
        )
    };
    let user = async |id| {
        Ok::<_, StoreError>(
            store
                .user_by_id(id)
                .await?
                .map(|one| one.name)
                .unwrap_or_default(),
        )
    };
    Ok(match kind {
        TokenKind::Session(id) => format!("user {}, in a browser", user(id).await?),
        TokenKind::User(id) => format!("user {}, as the user's teams allow", user(id).await?),
        TokenKind::Member {
            user: id,
            organization: org,
            within,
        } => {
            let limit = if *within == Permissions::ALL {
                String::new()
            } else {
                format!(", of that only {within}")
            };
            format!(
                "user {} in {}, as the user's teams allow{limit}",
                user(id).await?,
                organization(org).await?
            )
        }
        TokenKind::Team(id) => {
            let team = store.team_by_id(id).await?;
            let (name, org) = team
                .map(|team| (team.name, team.organization))
                .unwrap_or_default();
            format!("team {name} of {}", organization(&org).await?)
        }
        TokenKind::Workspace {
            workspace,
            organization: org,
        } => {
            let found = store.snapshot(workspace).await?;
            let name = found.map_or_else(|| workspace.to_string(), |found| found.workspace.name);
            format!("workspace {name} of {}", organization(org).await?)
        }
        TokenKind::Workload {
            trust,
            organization: org,
        } => {
            let name = store
                .trust(trust)
                .await?
                .map_or_else(|| trust.to_string(), |found| found.name);
            format!("a job by trust {name} of {}", organization(org).await?)
        }
        TokenKind::Organization(org) => {
            format!("organization {}, only reads", organization(org).await?)
        }
    })
}

/// Prints lines of the audit log of all organizations, and those of none, such as failed sign-ins;
/// the newest first.
pub(super) async fn audit(args: AuditArgs) -> Result<(), String> {
    let service = service(&args.store).await?;
    if args.json {
        return lines(&service, args.after).await;
    }
    let filter = AuditFilter {
        action: args.action,
        actor: args.actor,
        ..AuditFilter::default()
    };
    for entry in service
        .store()
        .audit(&filter, Page::first(args.last))
        .await
        .map_err(|error| error.to_string())?
        .items
    {
        let AuditEntry {
            at,
            who,
            action,
            workspace,
            subject,
            detail,
            ..
        } = entry;
        let workspace = workspace.map(|id| id.to_string()).unwrap_or_default();
        println!("{at}\t{who}\t{action}\t{workspace}\t{subject}\t{detail}");
    }
    Ok(())
}

/// Prints all lines of the audit log as JSON, behind one.
async fn lines(service: &Service, mut after: i64) -> Result<(), String> {
    loop {
        let found = service
            .store()
            .audit_after(None, after, 1000)
            .await
            .map_err(|error| error.to_string())?;
        let Some((last, _)) = found.last() else {
            return Ok(());
        };
        after = *last;
        for (seq, entry) in &found {
            println!("{}", entry.to_json(*seq));
        }
    }
}

pub(super) async fn retention(args: RetentionArgs) -> Result<(), String> {
    let service = service(&args.store).await?;
    let policy = Policy {
        keep_last: args.keep_last,
        keep_days: args.keep_days,
    };
    let say = |failure: Failure| failure.to_string();
    if args.dry_run {
        let going = service.expired(&policy).await.map_err(say)?;
        for Expired {
            created_at,
            id,
            workspace,
        } in &going
        {
            println!("{workspace}\t{id}\t{created_at}");
        }
        eprintln!("{} would be deleted.", versions(going.len()));
    } else {
        let deleted = service.retain(&policy).await.map_err(say)?;
        for version in &deleted {
            println!("{version}");
        }
        eprintln!("{} deleted.", versions(deleted.len()));
    }
    Ok(())
}

pub(super) async fn gc(args: GcArgs) -> Result<(), String> {
    let file = args.store.file()?;
    let store = open::store(&args.store, &file).await?;
    let older_than =
        Timestamp::now().before(Duration::from_secs(u64::from(args.min_age_hours) * 3600));
    let garbage = store
        .collect_garbage(older_than, args.dry_run)
        .await
        .map_err(|error| error.to_string())?;
    let Garbage {
        rows,
        objects,
        bytes,
    } = garbage;
    let verb = if args.dry_run {
        "would be removed"
    } else {
        "removed"
    };
    println!(
        "{rows} unused rows of bytes and {objects} objects without a row, {bytes} bytes in all, {verb}."
    );
    Ok(())
}

fn versions(count: usize) -> String {
    if count == 1 {
        "1 state version".to_owned()
    } else {
        format!("{count} state versions")
    }
}
