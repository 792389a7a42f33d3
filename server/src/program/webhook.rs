//! The receiver of the audit log, by settings.

use std::path::PathBuf;

use crate::service::Webhook;

/// The receiver of the audit log.
#[derive(Clone, Default, clap::Args)]
pub(super) struct WebhookArgs {
    /// URL that receives the audit log, as lines of JSON, each at least once
    #[arg(
        long = "audit-webhook",
        id = "audit-webhook",
        env = "UPSTATE_AUDIT_WEBHOOK",
        value_name = "URL",
        hide_env_values = true
    )]
    url: Option<String>,
    /// File of the key for its signatures, 24 to 64 bytes in base64; or the key itself in
    /// `UPSTATE_AUDIT_WEBHOOK_KEY`
    #[arg(
        long = "audit-webhook-key-file",
        id = "audit-webhook-key-file",
        env = "UPSTATE_AUDIT_WEBHOOK_KEY_FILE",
        value_name = "FILE"
    )]
    key_file: Option<PathBuf>,
    /// Allow other addresses than public ones for it
    #[arg(
        long = "audit-webhook-internal",
        id = "audit-webhook-internal",
        env = "UPSTATE_AUDIT_WEBHOOK_INTERNAL",
        value_name = "BOOL",
        num_args = 0..=1,
        default_missing_value = "true"
    )]
    internal: Option<bool>,
}

/// The settings of the file.
#[derive(Default)]
pub(super) struct InFile {
    pub(super) url: Option<String>,
    pub(super) key_file: Option<PathBuf>,
    pub(super) internal: Option<bool>,
}

/// Without the URL, which may hold a secret.
impl std::fmt::Debug for WebhookArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookArgs")
            .field("key_file", &self.key_file)
            .finish_non_exhaustive()
    }
}

impl WebhookArgs {
    /// The receiver, if there is one.
    pub(super) fn webhook(self, file: InFile) -> Result<Option<Webhook>, String> {
        let path = self.key_file.or(file.key_file);
        let Some(url) = self.url.or(file.url) else {
            return path.map_or(Ok(None), |_| {
                Err("--audit-webhook-key-file needs --audit-webhook, too".to_owned())
            });
        };
        let key = match path {
            Some(path) => std::fs::read_to_string(&path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
            None => std::env::var("UPSTATE_AUDIT_WEBHOOK_KEY")
                .map_err(|_| "--audit-webhook needs --audit-webhook-key-file, too".to_owned())?,
        };
        let internal = self.internal.or(file.internal).unwrap_or_default();
        Webhook::new(&url, &key, internal).map(Some)
    }
}
