//! Writing the states of a store into a folder.

use std::fs::{DirBuilder, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use super::index::{self, ExportedVersion, ExportedWorkspace, Index};
use crate::content::hex;
use crate::model::{
    AuditEntry, Backing, ContentKind, Organization, Status, Timestamp, Version, Workspace,
};
use crate::program::commands::WHO;
use crate::program::copying::existing;
use crate::program::settings::ExportArgs;
use crate::store::{Page, Store, StoreError, WorkspaceFilter};

/// The whole of a list, as it is at one moment.
const ALL: Page = Page::first(u32::MAX);

pub(in crate::program) async fn export(args: ExportArgs) -> Result<(), String> {
    let (place, keyring) = args.store.place()?;
    let store = existing(&place, keyring).await?;
    let say = |error: StoreError| error.to_string();
    let mut organizations = store.organizations().await.map_err(say)?;
    if let Some(name) = &args.org {
        organizations.retain(|one| one.name == *name);
        if organizations.is_empty() {
            return Err(format!("there is no organization {name:?}"));
        }
    }
    let mut chosen = Vec::new();
    for organization in &organizations {
        for workspace in store
            .workspaces(&organization.id, &WorkspaceFilter::default(), ALL)
            .await
            .map_err(say)?
            .items
        {
            if args.workspaces.is_empty() || args.workspaces.contains(&workspace.name) {
                chosen.push((organization, workspace));
            }
        }
    }
    if let Some(name) = args
        .workspaces
        .iter()
        .find(|name| !chosen.iter().any(|(_, workspace)| workspace.name == **name))
    {
        return Err(format!("there is no workspace {name:?}"));
    }
    fresh(&args.to)?;
    let mut index = Index {
        form: index::FORM,
        made: Timestamp::now().to_string(),
        of: store.describe(),
        workspaces: Vec::new(),
    };
    for (organization, workspace) in chosen {
        let exported = workspace_of(&*store, &args.to, organization, &workspace).await?;
        println!(
            "{}\t{}\t{}",
            organization.name,
            workspace.name,
            versions(exported.versions.len())
        );
        index.workspaces.push(exported);
    }
    let text = serde_json::to_vec_pretty(&index)
        .map_err(|error| format!("the index cannot be written: {error}"))?;
    // Last, and under its name only when it is whole: a folder with an index holds all that the
    // index lists.
    let draft = args.to.join(".index");
    write(&draft, &text)?;
    let path = args.to.join(index::FILE);
    std::fs::rename(&draft, &path)
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    synced(&args.to)?;
    let count = index.workspaces.iter().map(|one| one.versions.len()).sum();
    println!(
        "{} holds {} of {} workspaces.",
        args.to.display(),
        versions(count),
        index.workspaces.len()
    );
    Ok(())
}

fn versions(count: usize) -> String {
    if count == 1 {
        "1 state".to_owned()
    } else {
        format!("{count} states")
    }
}

/// Makes a folder that only its owner can read, unless it is there and empty.
fn fresh(folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} cannot be made: {error}", folder.display());
    if folder.is_dir() && std::fs::read_dir(folder).map_err(failed)?.next().is_some() {
        return Err(format!(
            "{} is not empty; name a new folder",
            folder.display()
        ));
    }
    private_folder(folder)
}

fn private_folder(folder: &Path) -> Result<(), String> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(path)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// Names are on disk when their folder is.
fn synced(folder: &Path) -> Result<(), String> {
    let opened = std::fs::File::open(folder).and_then(|folder| folder.sync_all());
    opened.map_err(|error| format!("{} cannot be written: {error}", folder.display()))
}

/// Writes the states of a workspace.
async fn workspace_of(
    store: &dyn Store,
    folder: &Path,
    organization: &Organization,
    workspace: &Workspace,
) -> Result<ExportedWorkspace, String> {
    let say = |error: StoreError| error.to_string();
    let note = AuditEntry {
        at: Timestamp::now(),
        who: WHO.to_owned(),
        action: "state.export".into(),
        organization: Some(organization.id.clone()),
        workspace: Some(workspace.id.clone()),
        subject: workspace.name.clone(),
        detail: String::new(),
    };
    store.record(note).await.map_err(say)?;
    let mut newest_first = store
        .versions(&workspace.id, &[Status::Finalized], ALL)
        .await
        .map_err(say)?
        .items;
    newest_first.retain(|version| version.backing == Backing::Available);
    // Names of organizations may begin with dots, and `..` would lead out of the folder.
    let owner = if organization.name.starts_with('.') {
        organization.id.as_str()
    } else {
        &organization.name
    };
    let place = Path::new(owner).join(&workspace.name);
    private_folder(&folder.join(&place))?;
    let mut exported = Vec::new();
    for version in newest_first.into_iter().rev() {
        exported.extend(version_of(store, folder, &place, &version).await?);
    }
    synced(&folder.join(&place))?;
    let project = store
        .project(&workspace.project)
        .await
        .map_err(say)?
        .filter(|project| !project.is_default());
    Ok(ExportedWorkspace {
        organization: organization.name.clone(),
        project: project.map(|project| project.name),
        name: workspace.name.clone(),
        description: workspace.description.clone(),
        terraform_version: workspace.terraform_version.clone(),
        tags: workspace.tags.iter().cloned().collect(),
        locked: workspace
            .lock
            .as_ref()
            .is_some_and(|lock| !lock.has_ended(Timestamp::now())),
        versions: exported,
    })
}

/// Writes a state; nothing if it was deleted meanwhile.
async fn version_of(
    store: &dyn Store,
    folder: &Path,
    place: &Path,
    version: &Version,
) -> Result<Option<ExportedVersion>, String> {
    let say = |error: StoreError| error.to_string();
    let Some(bytes) = store
        .bytes(&version.id, ContentKind::State)
        .await
        .map_err(say)?
    else {
        return match store.version(&version.id).await.map_err(say)? {
            Some(still) if still.backing == Backing::Available => {
                Err(format!("state version {} has no bytes", version.id))
            }
            Some(_) | None => Ok(None),
        };
    };
    let Some(finalized) = &version.finalized else {
        return Err(format!("state version {} is not finalized", version.id));
    };
    let file = place.join(format!("{:08}-{}.tfstate", version.seq, version.id));
    write(&folder.join(&file), &bytes)?;
    Ok(Some(ExportedVersion {
        id: version.id.to_string(),
        serial: version.serial,
        lineage: version.lineage.clone(),
        md5: version.md5.clone(),
        sha256: hex(&finalized.sha256),
        size: finalized.size,
        created_at: version.created_at.to_string(),
        created_by: version.creator.name.clone(),
        forced: version.forced,
        file: file.to_string_lossy().into_owned(),
    }))
}
