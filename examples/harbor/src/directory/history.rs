//! The earlier versions of `harbor_directory`.

use upstate::{Diagnostic, Diagnostics, Resource, UpgradeContext};

use super::{Directory, MARKER, marker};
use crate::client::Harbor;

/// Version 0: a path was all.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_directory", version = 0)]
pub(super) struct DirectoryV0 {
    #[attribute(computed)]
    pub id: String,
}

/// Version 1: permissions; the id was still the path.
#[derive(Debug, Resource)]
#[resource(type_name = "harbor_directory", version = 1, prior)]
pub(super) struct DirectoryV1 {
    #[attribute(computed)]
    pub id: String,
    pub permissions: Option<String>,
}

/// Version 0 had the permissions that every directory had.
pub(super) async fn from_v0(
    prior: DirectoryV0,
    context: &mut UpgradeContext<'_>,
) -> Result<Directory, Diagnostics> {
    look_up_serial(
        DirectoryV1 {
            id: prior.id,
            permissions: Some("0755".to_owned()),
        },
        context,
    )
    .await
}

/// Since version 2 a directory has a serial number, which is in the directory itself: it has to be looked up.
pub(super) async fn look_up_serial(
    prior: DirectoryV1,
    context: &mut UpgradeContext<'_>,
) -> Result<Directory, Diagnostics> {
    let Some(harbor) = context.client::<Harbor>() else {
        let detail = "The serial number of a directory is in it; to look it up, the provider has to be configured.";
        return Err(Diagnostic::error("Provider Not Configured", detail).into());
    };
    let Some(id) = harbor.read(&marker(&prior.id)).await? else {
        let detail = format!(
            "The directory {:?} has no serial number. Every directory has one in its file {MARKER} since release 2: write one there, or \
             take the directory out of the state with `terraform state rm`.",
            prior.id
        );
        return Err(Diagnostic::error("Serial Number Not Found", detail).into());
    };
    Ok(Directory {
        id: id.trim().to_owned(),
        path: prior.id,
        permissions: prior.permissions,
    })
}
