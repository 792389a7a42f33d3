//! `github_release`: one attribute more, among two dozen.

use upstate::Resource;

use super::api::repository_id;

/// A published version.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_release", version = 1)]
#[upgrade_from(0 => 1, fill(repository => repository_id, with = repository_id, async))]
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
