//! `google_project`: an id separated from the resource's own, and a tag that only the API knows.

use upstate::upgrade::BoxFuture;
use upstate::{Diagnostic, Resource, UpgradeContext};

use crate::realworld::blocks::path;

/// A project.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "google_project", version = 1)]
#[upgrade_from(0 => 1,
    copy(id => project_id),
    set(policy_etag = null, skip_delete = true),
    only_if(has(policy_data), fill(id => policy_etag, with = etag, async)))]
pub struct Project {
    #[attribute(computed)]
    pub id: String,
    pub name: Option<String>,
    pub policy_data: Option<String>,
    #[attribute(computed)]
    pub policy_etag: Option<String>,
    pub project_id: String,
    pub skip_delete: Option<bool>,
}

/// What the upgrade of a project with a policy asks the API: give one to the registry as its client.
#[expect(
    missing_debug_implementations,
    reason = "a client may hold credentials"
)]
pub struct Policies(pub Box<dyn PolicyApi>);

/// Reads policies.
pub trait PolicyApi: Send + Sync {
    /// The tag of the policy that a project has now.
    fn etag<'a>(&'a self, project: &'a str) -> BoxFuture<'a, Result<String, Diagnostic>>;
}

async fn etag(project: String, context: &UpgradeContext<'_>) -> Result<String, Diagnostic> {
    let Some(policies) = context.client::<Policies>() else {
        let detail = "The tag of the policy has to be read from the API, and the provider is not configured.";
        return Err(Diagnostic::error("Provider Not Configured", detail).at(path("policy_etag")));
    };
    policies.0.etag(&project).await
}
