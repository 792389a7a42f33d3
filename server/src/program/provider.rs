//! The provider with which people sign in, by settings.

use std::path::PathBuf;

use super::settings::File;
use crate::service::People;

/// The provider with which people sign in.
#[derive(Clone, Default, clap::Args)]
pub(super) struct ProviderArgs {
    /// Issuer of the `OpenID` Connect provider with which people sign in on the page
    #[arg(
        long = "oidc-issuer",
        id = "oidc-issuer",
        env = "UPSTATE_OIDC_ISSUER",
        value_name = "URL"
    )]
    issuer: Option<String>,
    /// Id of this server at the provider, whose redirect URI is the server's URL and
    /// /ui/sign-in/callback
    #[arg(
        long = "oidc-client-id",
        id = "oidc-client-id",
        env = "UPSTATE_OIDC_CLIENT_ID",
        value_name = "ID"
    )]
    client_id: Option<String>,
    /// Secret of this server at the provider
    #[arg(
        long = "oidc-client-secret",
        id = "oidc-client-secret",
        env = "UPSTATE_OIDC_CLIENT_SECRET",
        value_name = "SECRET",
        hide_env_values = true
    )]
    client_secret: Option<String>,
    /// File of that secret
    #[arg(
        long = "oidc-client-secret-file",
        id = "oidc-client-secret-file",
        env = "UPSTATE_OIDC_CLIENT_SECRET_FILE",
        value_name = "FILE",
        conflicts_with = "oidc-client-secret"
    )]
    client_secret_file: Option<PathBuf>,
    /// Claim with the user's name, one that users cannot change themselves [default: email]
    #[arg(
        long = "oidc-user-claim",
        id = "oidc-user-claim",
        env = "UPSTATE_OIDC_USER_CLAIM",
        value_name = "NAME"
    )]
    user_claim: Option<String>,
    /// Claim with the user's groups [default: groups]
    #[arg(
        long = "oidc-groups-claim",
        id = "oidc-groups-claim",
        env = "UPSTATE_OIDC_GROUPS_CLAIM",
        value_name = "NAME"
    )]
    groups_claim: Option<String>,
    /// Scopes to ask for beside openid, separated by commas [default: email,profile; with
    /// --oidc-teams also groups, if the provider has it]
    #[arg(
        long = "oidc-scopes",
        id = "oidc-scopes",
        env = "UPSTATE_OIDC_SCOPES",
        value_name = "LIST",
        value_delimiter = ','
    )]
    scopes: Option<Vec<String>>,
    /// Groups that are teams, as of each sign-in, such as platform=default/owners; separated by
    /// commas
    #[arg(
        long = "oidc-teams",
        id = "oidc-teams",
        env = "UPSTATE_OIDC_TEAMS",
        value_name = "LIST",
        value_delimiter = ','
    )]
    teams: Option<Vec<String>>,
}

/// Without the secret.
impl std::fmt::Debug for ProviderArgs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderArgs")
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl ProviderArgs {
    /// The provider, if there is one.
    pub(super) fn people(self, file: &File, organization: &str) -> Result<Option<People>, String> {
        let Some(issuer) = self.issuer.or_else(|| file.oidc_issuer.clone()) else {
            let client = self.client_id.or_else(|| file.oidc_client_id.clone());
            return client.map_or(Ok(None), |_| {
                Err("--oidc-client-id needs --oidc-issuer, too".to_owned())
            });
        };
        let client = self.client_id.or_else(|| file.oidc_client_id.clone());
        let client = client.ok_or("--oidc-issuer needs --oidc-client-id, too")?;
        let secret = match (
            self.client_secret,
            self.client_secret_file.or_else(|| file.oidc_secret.clone()),
        ) {
            (Some(secret), _) => secret,
            (None, Some(path)) => {
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
                text.trim().to_owned()
            }
            (None, None) => {
                return Err("--oidc-issuer needs --oidc-client-secret-file, too".to_owned());
            }
        };
        let teams = self
            .teams
            .or_else(|| file.oidc_teams.clone())
            .unwrap_or_default();
        let teams = teams
            .iter()
            .map(|text| text.parse())
            .collect::<Result<_, String>>()
            .map_err(|why| format!("--oidc-teams: {why}"))?;
        let people = People {
            issuer,
            client,
            secret,
            user_claim: self
                .user_claim
                .or_else(|| file.oidc_user_claim.clone())
                .unwrap_or_else(|| "email".to_owned()),
            groups_claim: self
                .groups_claim
                .or_else(|| file.oidc_groups_claim.clone())
                .unwrap_or_else(|| "groups".to_owned()),
            scopes: self.scopes.or_else(|| file.oidc_scopes.clone()),
            organization: organization.to_owned(),
            teams,
        };
        people
            .check()
            .map_err(|why| format!("--oidc-issuer: {why}"))?;
        Ok(Some(people))
    }
}
