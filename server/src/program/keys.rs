//! The operator's key for what is encrypted at rest.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::store::encryption::{
    self, AwsKms, AwsKmsSettings, KeyFile, KeyList, KeyService, Keyring, Transit, TransitSettings,
};
use crate::store::{Store, StoreError};

/// The environment variable with the keys themselves.
const KEY: &str = "UPSTATE_ENCRYPTION_KEY";

/// The operator's key.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct EncryptionArgs {
    /// File of the keys that encrypt the store, one a line, in base64: the first for new data, the
    /// others for older data; or the lines themselves in `UPSTATE_ENCRYPTION_KEY`
    #[arg(
        long,
        global = true,
        env = "UPSTATE_ENCRYPTION_KEY_FILE",
        value_name = "FILE"
    )]
    encryption_key_file: Option<PathBuf>,
    /// Key of a transit engine, of Vault or another that speaks as it does, in place of a file,
    /// such as `https://vault.example.com:8200/v1/transit/keys/upstate`; with `VAULT_TOKEN` or
    /// `VAULT_TOKEN_FILE`, and `VAULT_NAMESPACE` and `VAULT_CACERT` if need be
    #[arg(
        long,
        global = true,
        env = "UPSTATE_ENCRYPTION_TRANSIT",
        value_name = "URL"
    )]
    encryption_transit: Option<String>,
    /// ARN of a key of AWS KMS, in place of a file; behind it, separated by commas, those of the
    /// keys for older data. Credentials as for a bucket
    #[arg(
        long,
        global = true,
        env = "UPSTATE_ENCRYPTION_AWS_KMS",
        value_name = "ARN",
        value_delimiter = ','
    )]
    encryption_aws_kms: Option<Vec<String>>,
    /// Refuse to read plain data, so that a writer of the store cannot replace encrypted rows by
    /// plain ones
    #[arg(
        long,
        global = true,
        env = "UPSTATE_ENCRYPTED_ONLY",
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    encrypted_only: Option<bool>,
}

/// The settings of the file.
#[derive(Debug, Default)]
pub(super) struct InFile {
    pub(super) keys: Option<PathBuf>,
    pub(super) transit: Option<String>,
    pub(super) aws_kms: Option<Vec<String>>,
    pub(super) encrypted_only: Option<bool>,
}

/// A variable of the environment, if it is set to something.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

impl EncryptionArgs {
    /// The keys; none are at hand without a key of the operator's.
    pub(super) fn keyring(&self, file: InFile) -> Result<Keyring, String> {
        let only = self
            .encrypted_only
            .or(file.encrypted_only)
            .unwrap_or_default();
        let service = self.service(file).map_err(|error| error.to_string())?;
        match service {
            Some(service) => Ok(Keyring::new(service, only)),
            None if only => {
                Err("--encrypted-only needs a key: --encryption-key-file, UPSTATE_ENCRYPTION_KEY, --encryption-transit, or \
                     --encryption-aws-kms"
                    .into())
            }
            None => Ok(Keyring::default()),
        }
    }

    fn service(&self, file: InFile) -> Result<Option<Arc<dyn KeyService>>, StoreError> {
        let flags = (
            self.encryption_key_file.clone(),
            variable(KEY),
            self.encryption_transit.clone(),
        );
        let mut given = (flags, self.encryption_aws_kms.clone());
        if given == ((None, None, None), None) {
            given = ((file.keys, None, file.transit), file.aws_kms);
        }
        match given {
            ((None, None, None), None) => Ok(None),
            ((Some(path), None, None), None) => Ok(Some(Arc::new(KeyFile::open(path)?))),
            ((None, Some(keys), None), None) => Ok(Some(Arc::new(KeyList::parse(KEY, &keys)?))),
            ((None, None, Some(url)), None) => Ok(Some(Arc::new(Transit::new(transit(url)?)?))),
            ((None, None, None), Some(keys)) => {
                // As AWS's own clients name it.
                let endpoint = variable("AWS_ENDPOINT_URL_KMS");
                Ok(Some(Arc::new(AwsKms::new(&AwsKmsSettings {
                    keys,
                    endpoint,
                    options: Vec::new(),
                })?)))
            }
            ((_, _, _), _) => Err(StoreError::new(format!(
                "name one key: a file with --encryption-key-file, or {KEY}, or a URL with --encryption-transit, or an ARN with \
                 --encryption-aws-kms"
            ))),
        }
    }
}

/// The settings of a transit engine, by the names that its own clients have for them.
fn transit(url: String) -> Result<TransitSettings, StoreError> {
    let authorities = match variable("VAULT_CACERT") {
        None => None,
        Some(path) => Some(std::fs::read(&path).map_err(|error| {
            StoreError::new(format!(
                "the authorities in {path} (VAULT_CACERT) cannot be read"
            ))
            .because(error)
        })?),
    };
    Ok(TransitSettings {
        url,
        token: variable("VAULT_TOKEN"),
        token_file: variable("VAULT_TOKEN_FILE").map(PathBuf::from),
        namespace: variable("VAULT_NAMESPACE"),
        authorities,
    })
}

/// Refuses a store whose key is another one, and warns of what is plain.
pub(super) async fn check(store: &dyn Store) -> Result<(), String> {
    let say = |error: StoreError| error.to_string();
    encryption::check(store).await.map_err(say)?;
    if let Some(service) = store.keyring().service() {
        let plain: u64 = store
            .shares()
            .await
            .map_err(say)?
            .iter()
            .map(|share| share.plain)
            .sum();
        tracing::info!(key = service.describe(), plain, "new data is encrypted");
        if plain > 0 {
            tracing::warn!(
                rows = plain,
                "a part of the store is plain: run `upstate-server encrypt`"
            );
        }
    }
    Ok(())
}
