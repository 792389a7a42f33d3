//! Opening the store that the settings name.

use std::path::Path;
use std::sync::Arc;

use super::settings::{File, StoreArgs};
use crate::store::Store;
use crate::store::sqlite::Sqlite;

/// Opens the store; what is missing is made.
pub(super) async fn store(args: &StoreArgs, file: &File) -> Result<Arc<dyn Store>, String> {
    let data = args.data.clone().or_else(|| file.data.clone());
    let data = data.ok_or("name the folder of the store with --data DIR, UPSTATE_DATA, or data in upstate-server.toml")?;
    sqlite(&data).await
}

async fn sqlite(folder: &Path) -> Result<Arc<dyn Store>, String> {
    Ok(Arc::new(Sqlite::open(folder).await.map_err(|error| error.to_string())?))
}
