//! What the upgrades ask GitHub: resources that named a repository know it by its number now, which a rename does not change.

use upstate::upgrade::BoxFuture;
use upstate::{Diagnostic, UpgradeContext};

use crate::realworld::blocks::path;

/// What the provider was configured with: give it to the registry as its client.
#[expect(
    missing_debug_implementations,
    reason = "a client may hold credentials"
)]
pub struct Client {
    /// Whose repositories they are.
    pub owner: Owner,
    /// The way to GitHub.
    pub api: Box<dyn Api>,
}

/// An organisation or a user.
#[derive(Debug, Clone)]
pub struct Owner {
    /// The name at the beginning of a repository's address.
    pub name: String,
    /// Whether it is an organisation.
    pub is_organization: bool,
}

/// Reads from GitHub.
pub trait Api: Send + Sync {
    /// What GitHub knows of a repository.
    fn repository<'a>(
        &'a self,
        owner: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<RepositoryFacts, Diagnostic>>;
}

/// What the upgrades need to know of a repository.
#[derive(Debug, Clone)]
pub struct RepositoryFacts {
    /// Its number.
    pub id: i64,
    /// The branch that is checked out unasked.
    pub default_branch: String,
}

pub(super) fn client<'a>(context: &UpgradeContext<'a>) -> Result<&'a Client, Diagnostic> {
    context.client().ok_or_else(|| {
        let detail =
            "This upgrade needs to ask GitHub, or to know whose repositories they are, and the provider is not configured.";
        Diagnostic::error("Provider Not Configured", detail)
    })
}

/// The number of a repository.
pub(super) async fn repository_id(
    name: String,
    context: &UpgradeContext<'_>,
) -> Result<i64, Diagnostic> {
    Ok(repository(&name, context).await?.id)
}

/// Looks a repository up; an error is one of the attribute that names it.
pub(super) async fn repository(
    name: &str,
    context: &UpgradeContext<'_>,
) -> Result<RepositoryFacts, Diagnostic> {
    let client = client(context)?;
    client
        .api
        .repository(&client.owner.name, name)
        .await
        .map_err(|error| error.at(path("repository")))
}
