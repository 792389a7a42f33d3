//! Commands that move everything a store holds: into another store, into a file, and out of it.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::open::{DatabaseUrl, Place, StoreArgs};
use crate::authorities;
use crate::model::Timestamp;
use crate::store::copy::{self, Copied};
use crate::store::encryption::Keyring;
use crate::store::{BucketSettings, Store, postgres};

#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// Store to copy: a folder, or `postgresql://user:password@host/database`
    #[arg(long, value_name = "STORE")]
    from: DatabaseUrl,
    /// Store to copy into, which must be empty; made if it is missing
    #[arg(long, value_name = "STORE")]
    to: DatabaseUrl,
    /// Bucket of the database to copy
    #[arg(long, value_name = "URL")]
    from_bucket_url: Option<String>,
    /// Bucket for the bytes of the database to fill
    #[arg(long, value_name = "URL")]
    to_bucket_url: Option<String>,
    /// URL of the old bucket's service, if it is not Amazon's, Google's or Azure's own
    #[arg(long, requires = "from_bucket_url", value_name = "URL")]
    from_bucket_endpoint: Option<String>,
    /// URL of the new bucket's service, if it is not Amazon's, Google's or Azure's own
    #[arg(long, requires = "to_bucket_url", value_name = "URL")]
    to_bucket_endpoint: Option<String>,
    /// Certificate authorities to trust for databases, besides the system's; a PEM file
    #[arg(long, env = "UPSTATE_DATABASE_CA", value_name = "FILE")]
    database_ca: Option<PathBuf>,
    /// Certificate authorities to trust, besides the system's, for databases and buckets; a PEM
    /// file
    #[arg(long, env = "UPSTATE_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct BackupArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// New file; it holds secrets, and only its owner can read it
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct RestoreArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// File that `backup` made
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
}

/// The bucket of one side; refused if the environment has an endpoint for a bucket of which no flag
/// names one.
fn bucket(
    url: Option<&String>,
    endpoint: Option<&String>,
    flag: &str,
) -> Result<Option<BucketSettings>, String> {
    let Some(url) = url else { return Ok(None) };
    // Without this, bytes would go to Amazon's, Google's or Azure's own service, which is not where
    // the servers keep them.
    if endpoint.is_none()
        && let Some(set) = std::env::var("UPSTATE_BUCKET_ENDPOINT")
            .ok()
            .filter(|set| !set.is_empty())
    {
        return Err(format!(
            "UPSTATE_BUCKET_ENDPOINT is set, and `migrate` cannot tell which of two buckets it is for; write \
             `--{flag}-bucket-endpoint {set}` if it is for {url}, else unset it"
        ));
    }
    Ok(Some(BucketSettings {
        url: url.clone(),
        endpoint: endpoint.cloned(),
        ..BucketSettings::default()
    }))
}

impl MigrateArgs {
    fn place(
        &self,
        store: &DatabaseUrl,
        bucket: Option<BucketSettings>,
        flag: &str,
    ) -> Result<Place, String> {
        let DatabaseUrl(store) = store;
        let is_database = store.starts_with("postgresql://") || store.starts_with("postgres://");
        match (is_database, bucket) {
            (true, bucket) => {
                let mut settings = postgres::Settings::new(store);
                settings.authorities.clone_from(&self.database_ca);
                settings.bucket = bucket;
                Ok(Place::Database(settings))
            }
            (false, Some(_)) => Err(format!(
                "--{flag}-bucket-url is for the bytes of a database; in a folder everything is together"
            )),
            (false, None) => Ok(Place::Folder(PathBuf::from(store))),
        }
    }
}

/// Opens a store that must be there: with a wrong name, an empty one would be made and copied.
pub(super) async fn existing(place: &Place, keyring: Keyring) -> Result<Arc<dyn Store>, String> {
    place.must_exist()?;
    let store = place.open(keyring).await?;
    if store
        .organizations()
        .await
        .map_err(|error| error.to_string())?
        .is_empty()
    {
        return Err(format!(
            "{} holds nothing; is it the right store?",
            store.describe()
        ));
    }
    Ok(store)
}

pub(super) async fn migrate(args: MigrateArgs) -> Result<(), String> {
    if let Some(file) = &args.ca {
        authorities::trust(file)?;
    }
    let side = |store, url: &Option<String>, endpoint: &Option<String>, flag| {
        args.place(store, bucket(url.as_ref(), endpoint.as_ref(), flag)?, flag)
    };
    // Both before one is opened, because a mistake in the second should not cost the time of
    // opening the first.
    let from = side(
        &args.from,
        &args.from_bucket_url,
        &args.from_bucket_endpoint,
        "from",
    )?;
    let to = side(
        &args.to,
        &args.to_bucket_url,
        &args.to_bucket_endpoint,
        "to",
    )?;
    let from = existing(&from, Keyring::default()).await?;
    let to = to.open(Keyring::default()).await?;
    let copied = copy::copy(&*from, &*to)
        .await
        .map_err(|error| error.to_string())?;
    println!(
        "{} is copied into {}: {}. The copy was read back and is identical.",
        from.describe(),
        to.describe(),
        described(copied)
    );
    println!("Start the servers on it; none may write to the old store any more.");
    Ok(())
}

pub(super) async fn backup(args: BackupArgs) -> Result<(), String> {
    let (place, keyring) = args.store.place()?;
    let store = existing(&place, keyring).await?;
    let copied = copy::back_up(&*store, &args.to)
        .await
        .map_err(|error| error.to_string())?;
    // The backup is whole without the note, which a database that only reads does not take.
    if let Err(error) = store.note_backup(Timestamp::now()).await {
        eprintln!("The age of this backup will be missing in the metrics: {error}");
    }
    println!(
        "{} holds {}: {}.",
        args.to.display(),
        store.describe(),
        described(copied)
    );
    Ok(())
}

pub(super) async fn restore(args: RestoreArgs) -> Result<(), String> {
    let (place, keyring) = args.store.place()?;
    let store = place.open(keyring).await?;
    let copied = copy::restore(&args.from, &*store)
        .await
        .map_err(|error| error.to_string())?;
    println!(
        "{} holds the backup: {}.",
        store.describe(),
        described(copied)
    );
    Ok(())
}

fn described(copied: Copied) -> String {
    let Copied { rows, bytes, .. } = copied;
    format!("{rows} rows, {bytes} bytes of states")
}
