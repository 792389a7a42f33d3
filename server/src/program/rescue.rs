//! Commands that bring back what somebody lost: deleted workspaces, and uploads that came too late.

use std::io::Write as _;

use super::commands::{WHO, service};
use super::settings::{QuarantineArgs, QuarantineCommand, WorkspaceArgs, WorkspaceCommand};
use crate::model::{QuarantineId, WorkspaceId};
use crate::service::Failure;
use crate::store::StoreError;

pub(super) async fn workspace(args: WorkspaceArgs) -> Result<(), String> {
    let service = service(&args.store).await?;
    match args.command {
        WorkspaceCommand::Deleted => {
            for (workspace, at) in service
                .store()
                .deleted_workspaces()
                .await
                .map_err(|error| error.to_string())?
            {
                let state = workspace
                    .head
                    .map_or_else(|| "no state".to_owned(), |head| head.to_string());
                println!(
                    "{}\t{}\tdeleted {at}\t{state}",
                    workspace.id, workspace.name
                );
            }
        }
        WorkspaceCommand::Restore { id, name } => {
            let id = WorkspaceId::from_text(id);
            let restored = service.restore_workspace(WHO, &id, name.as_deref()).await;
            println!(
                "Workspace {} is back.",
                restored.map_err(|failure: Failure| failure.to_string())?
            );
        }
    }
    Ok(())
}

pub(super) async fn quarantine(args: QuarantineArgs) -> Result<(), String> {
    let service = service(&args.store).await?;
    let store = service.store();
    let say = |error: StoreError| error.to_string();
    match args.command {
        QuarantineCommand::List {
            org,
            workspace: name,
        } => {
            let found = store.organization(&org).await.map_err(say)?;
            let organization = found.ok_or_else(|| format!("there is no organization {org:?}"))?;
            let found = store
                .workspace(&organization.id, &name)
                .await
                .map_err(say)?;
            let workspace =
                found.ok_or_else(|| format!("organization {org} has no workspace {name:?}"))?;
            for kept in store.quarantined(&workspace.id).await.map_err(say)? {
                println!(
                    "{}\tcame {}\tfor {}\t{} bytes\t{}",
                    kept.id, kept.at, kept.version, kept.size, kept.reason
                );
            }
        }
        QuarantineCommand::Read { id, to } => {
            let found = store
                .quarantined_bytes(&QuarantineId::from_text(&id))
                .await
                .map_err(say)?;
            let kept = found.ok_or_else(|| {
                format!("there is no late upload {id}; `quarantine list` shows their ids")
            })?;
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let written = options
                .open(&to)
                .and_then(|mut file| file.write_all(&kept.bytes).and_then(|()| file.sync_all()));
            written.map_err(|error| format!("{} cannot be written: {error}", to.display()))?;
            println!("{} holds the {} bytes of {id}.", to.display(), kept.size);
        }
    }
    Ok(())
}
