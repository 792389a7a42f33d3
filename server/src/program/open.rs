//! The store: its settings, and opening it.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;

use super::keys::{self, EncryptionArgs};
use super::settings::File;
use crate::authorities;
use crate::store::encryption::Keyring;
use crate::store::postgres::{self, Postgres};
use crate::store::sqlite::{FILE_NAME, Sqlite};
use crate::store::{BucketSettings, Store};

/// The store: in a folder, or in `PostgreSQL`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct StoreArgs {
    /// Folder of the store; made if it is missing
    #[arg(long, global = true, env = "UPSTATE_DATA", value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    #[command(flatten)]
    pub(super) database: DatabaseArgs,
    #[command(flatten)]
    pub(super) encryption: EncryptionArgs,
    /// Certificate authorities to trust, besides the system's, wherever the program connects to:
    /// database, bucket, issuers, receiver of the audit log, transit engine, source of an import; a
    /// PEM file
    #[arg(long, global = true, env = "UPSTATE_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Settings file [default: upstate-server.toml, if it is there]
    #[arg(long, global = true, env = "UPSTATE_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl StoreArgs {
    /// Reads the settings file, and trusts the authorities that are named; nothing is connected to
    /// before.
    pub(super) fn file(&self) -> Result<File, String> {
        let file = File::read(self.config.as_deref())?;
        if let Some(named) = self.ca.as_ref().or(file.ca.as_ref()) {
            authorities::trust(named)?;
        }
        Ok(file)
    }

    /// The place of the store, and the operator's keys for it.
    pub(super) fn place(&self) -> Result<(Place, Keyring), String> {
        let file = self.file()?;
        let place = Place::new(self, &file)?;
        Ok((place, self.encryption.keyring(file.encryption())?))
    }
}

/// A database in place of a folder.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct DatabaseArgs {
    /// `PostgreSQL` database in place of a folder: `postgresql://user:password@host/database`
    #[arg(
        long,
        global = true,
        env = "UPSTATE_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true
    )]
    database_url: Option<DatabaseUrl>,
    /// Certificate authorities to trust for the database, besides the system's; a PEM file
    #[arg(long, global = true, env = "UPSTATE_DATABASE_CA", value_name = "FILE")]
    database_ca: Option<PathBuf>,
    /// Most connections of this process to the database [default: 16]
    #[arg(
        long,
        global = true,
        env = "UPSTATE_DATABASE_CONNECTIONS",
        value_name = "COUNT"
    )]
    database_connections: Option<u32>,
    /// Bucket for the bytes of a database: `s3://bucket`, `gs://bucket` or `az://container`, with a
    /// `/prefix` or without; credentials as in `AWS_REGION`, `AWS_ACCESS_KEY_ID` and
    /// `AWS_SECRET_ACCESS_KEY`, in `GOOGLE_APPLICATION_CREDENTIALS`, in
    /// `AZURE_STORAGE_ACCOUNT_NAME` and `AZURE_STORAGE_ACCOUNT_KEY`, or by the machine's role
    #[arg(long, global = true, env = "UPSTATE_BUCKET_URL", value_name = "URL")]
    bucket_url: Option<String>,
    /// URL of the bucket's service, if it is not Amazon's, Google's or Azure's own
    #[arg(
        long,
        global = true,
        env = "UPSTATE_BUCKET_ENDPOINT",
        value_name = "URL"
    )]
    bucket_endpoint: Option<String>,
}

/// The URL of a database, which may hold a password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(super) struct DatabaseUrl(pub(super) String);

impl FromStr for DatabaseUrl {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl(…)")
    }
}

/// The store to use if none was named.
const NAME_ONE: &str = "name the folder of the store with --data DIR, UPSTATE_DATA, or data in upstate-server.toml; or a database with \
                        --database-url URL, UPSTATE_DATABASE_URL, or database-url";

/// The store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A folder.
    Folder(PathBuf),
    /// A database.
    Database(postgres::Settings),
}

impl Place {
    /// Merges settings: flags and environment go before the file.
    pub(super) fn new(args: &StoreArgs, file: &File) -> Result<Self, String> {
        let given = (args.data.clone(), args.database.database_url.clone());
        let (data, url) = match given {
            (None, None) => (file.data.clone(), file.database_url.clone()),
            given => given,
        };
        match (data, url) {
            (Some(data), None) => {
                if args.database.bucket_url.is_some() {
                    return Err("a bucket is for the bytes of a database; with --data everything is in the folder".to_owned());
                }
                if is_url(&data) {
                    return Err("--data names a folder, and this is a URL; name a database with --database-url URL, UPSTATE_DATABASE_URL, or \
                                database-url in upstate-server.toml"
                        .to_owned());
                }
                Ok(Self::Folder(data))
            }
            (None, Some(url)) => Ok(Self::Database(args.database.settings(url, file))),
            (Some(_), Some(_)) => Err("name a folder or a database, not both".to_owned()),
            (None, None) => Err(NAME_ONE.to_owned()),
        }
    }

    /// Refuses a folder in which there is no store.
    pub(super) fn must_exist(&self) -> Result<(), String> {
        match self {
            Self::Folder(folder) if !folder.join(FILE_NAME).is_file() => {
                Err(format!("there is no store in {}", folder.display()))
            }
            Self::Folder(_) | Self::Database(_) => Ok(()),
        }
    }

    /// Opens the store, with the keys for what is encrypted; what is missing is made.
    pub(super) async fn open(&self, keyring: Keyring) -> Result<Arc<dyn Store>, String> {
        match self {
            Self::Folder(folder) => {
                let store = Sqlite::open(folder)
                    .await
                    .map_err(|error| error.to_string())?;
                Ok(Arc::new(store.with_keyring(keyring)))
            }
            Self::Database(settings) => {
                let store = Postgres::open(settings)
                    .await
                    .map_err(|error| error.to_string())?;
                Ok(Arc::new(store.with_keyring(keyring)))
            }
        }
    }
}

/// True for a URL in place of a folder. It is not repeated in messages, because it may hold a
/// password.
fn is_url(folder: &Path) -> bool {
    let shown = folder.to_string_lossy();
    shown.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

impl DatabaseArgs {
    fn settings(&self, url: DatabaseUrl, file: &File) -> postgres::Settings {
        let mut settings = postgres::Settings::new(url.0);
        if let Some(given) = self.database_connections.or(file.database_connections) {
            settings.connections = usize::try_from(given).unwrap_or(usize::MAX);
        }
        settings.authorities = self
            .database_ca
            .clone()
            .or_else(|| file.database_ca.clone());
        settings.bucket = self
            .bucket_url
            .clone()
            .or_else(|| file.bucket_url.clone())
            .map(|url| {
                let endpoint = self
                    .bucket_endpoint
                    .clone()
                    .or_else(|| file.bucket_endpoint.clone());
                BucketSettings {
                    url,
                    endpoint,
                    ..BucketSettings::default()
                }
            });
        settings
    }
}

/// Opens the store; what is missing is made.
pub(super) async fn store(args: &StoreArgs, file: &File) -> Result<Arc<dyn Store>, String> {
    let store = Place::new(args, file)?
        .open(args.encryption.keyring(file.encryption())?)
        .await?;
    keys::check(&*store).await?;
    Ok(store)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        store: StoreArgs,
    }

    fn place(flags: &[&str], file: &str) -> Result<Place, String> {
        let line =
            Line::try_parse_from(["x"].iter().chain(flags)).map_err(|error| error.to_string())?;
        Place::new(
            &line.store,
            &toml::from_str(file).map_err(|error| error.to_string())?,
        )
    }

    #[test]
    fn a_folder_or_a_database_is_named() {
        let folder = |name: &str| Ok(Place::Folder(PathBuf::from(name)));
        assert_eq!(place(&["--data", "a"], ""), folder("a"));
        assert_eq!(
            place(&["--data", "a"], "database-url = \"postgresql://h/d\""),
            folder("a")
        );
        assert_eq!(place(&[], "data = \"b\""), folder("b"));
        assert!(
            place(&[], "")
                .expect_err("refused")
                .contains("--database-url")
        );
        assert!(
            place(&["--data", "a", "--database-url", "u"], "")
                .expect_err("refused")
                .contains("not both")
        );
        assert!(
            place(&["--data", "a", "--bucket-url", "s3://b"], "")
                .expect_err("refused")
                .contains("a bucket is for")
        );
        for url in ["postgresql://u:hunter2@h/d", "postgres://h/d", "s3://b"] {
            let message = place(&["--data", url], "").expect_err("refused");
            assert!(
                message.contains("--database-url URL") && !message.contains("hunter2"),
                "{message}"
            );
            assert_eq!(place(&[], &format!("data = \"{url}\"")), Err(message));
        }
        assert_eq!(place(&["--data", "./a://b"], ""), folder("./a://b"));
    }

    #[test]
    fn a_database_takes_its_settings_from_flags_and_file() {
        let file = "database-connections = 3\nbucket-url = \"s3://b/p\"\nbucket-endpoint = \"http://localhost:9000\"";
        let Ok(Place::Database(settings)) =
            place(&["--database-url", "postgresql://u:hunter2@h/d"], file)
        else {
            panic!("a database is named");
        };
        assert_eq!(
            (settings.connections, settings.url.as_str()),
            (3, "postgresql://u:hunter2@h/d")
        );
        let bucket = settings.bucket.clone().expect("a bucket");
        assert_eq!(bucket.url, "s3://b/p");
        assert_eq!(bucket.endpoint.as_deref(), Some("http://localhost:9000"));
        let line = Line::try_parse_from(["x", "--database-url", "postgresql://u:hunter2@h/d"])
            .expect("a line");
        assert!(!format!("{:?} {settings:?}", line.store).contains("hunter2"));
    }
}
