//! `github_release`: one attribute more, among two dozen.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::api::repository;

/// A published version.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_release", version = 1)]
#[upgrade_from(0, model = ReleaseV0, with = with_repository_id, async)]
pub struct Release {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub assets_url: Option<String>,
    pub body: Option<String>,
    #[attribute(computed)]
    pub created_at: Option<String>,
    pub discussion_category_name: Option<String>,
    pub draft: Option<bool>,
    #[attribute(computed)]
    pub etag: Option<String>,
    pub generate_release_notes: Option<bool>,
    #[attribute(computed)]
    pub html_url: Option<String>,
    pub name: Option<String>,
    #[attribute(computed)]
    pub node_id: Option<String>,
    pub prerelease: Option<bool>,
    #[attribute(computed)]
    pub published_at: Option<String>,
    #[attribute(computed)]
    pub release_id: Option<i64>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: Option<i64>,
    pub tag_name: String,
    #[attribute(computed)]
    pub tarball_url: Option<String>,
    pub target_commitish: Option<String>,
    #[attribute(computed)]
    pub upload_url: Option<String>,
    #[attribute(computed)]
    pub url: Option<String>,
    #[attribute(computed)]
    pub zipball_url: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_release", version = 0)]
pub struct ReleaseV0 {
    #[attribute(computed)]
    pub id: String,
    #[attribute(computed)]
    pub assets_url: Option<String>,
    pub body: Option<String>,
    #[attribute(computed)]
    pub created_at: Option<String>,
    pub discussion_category_name: Option<String>,
    pub draft: Option<bool>,
    #[attribute(computed)]
    pub etag: Option<String>,
    pub generate_release_notes: Option<bool>,
    #[attribute(computed)]
    pub html_url: Option<String>,
    pub name: Option<String>,
    #[attribute(computed)]
    pub node_id: Option<String>,
    pub prerelease: Option<bool>,
    #[attribute(computed)]
    pub published_at: Option<String>,
    #[attribute(computed)]
    pub release_id: Option<i64>,
    pub repository: String,
    pub tag_name: String,
    #[attribute(computed)]
    pub tarball_url: Option<String>,
    pub target_commitish: Option<String>,
    #[attribute(computed)]
    pub upload_url: Option<String>,
    #[attribute(computed)]
    pub url: Option<String>,
    #[attribute(computed)]
    pub zipball_url: Option<String>,
}

async fn with_repository_id(prior: ReleaseV0, context: &mut UpgradeContext<'_>) -> Result<Release, Diagnostic> {
    let id = repository(&prior.repository, context).await?.id;
    Ok(Release {
        id: prior.id,
        assets_url: prior.assets_url,
        body: prior.body,
        created_at: prior.created_at,
        discussion_category_name: prior.discussion_category_name,
        draft: prior.draft,
        etag: prior.etag,
        generate_release_notes: prior.generate_release_notes,
        html_url: prior.html_url,
        name: prior.name,
        node_id: prior.node_id,
        prerelease: prior.prerelease,
        published_at: prior.published_at,
        release_id: prior.release_id,
        repository: prior.repository,
        repository_id: Some(id),
        tag_name: prior.tag_name,
        tarball_url: prior.tarball_url,
        target_commitish: prior.target_commitish,
        upload_url: prior.upload_url,
        url: prior.url,
        zipball_url: prior.zipball_url,
    })
}
