//! `github_repository_file`: an id with the branch in it, which is the default branch where state names none.

use upstate::{Diagnostic, Resource, UpgradeContext};

use super::api::repository;

/// A file in a repository.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_file", version = 1)]
#[upgrade_from(0, model = RepositoryFileV0, with = with_branch, async)]
pub struct RepositoryFile {
    #[attribute(computed)]
    pub id: String,
    #[attribute(optional, computed)]
    pub branch: String,
    #[attribute(computed)]
    pub commit_sha: Option<String>,
    pub content: String,
    pub file: String,
    pub overwrite_on_create: Option<bool>,
    pub repository: String,
    #[attribute(computed)]
    pub repository_id: i64,
    #[attribute(computed)]
    pub sha: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository_file", version = 0)]
pub struct RepositoryFileV0 {
    #[attribute(computed)]
    pub id: String,
    pub branch: Option<String>,
    #[attribute(computed)]
    pub commit_sha: Option<String>,
    pub content: String,
    pub file: String,
    pub overwrite_on_create: Option<bool>,
    pub repository: String,
    #[attribute(computed)]
    pub sha: Option<String>,
}

async fn with_branch(
    prior: RepositoryFileV0,
    context: &mut UpgradeContext<'_>,
) -> Result<RepositoryFile, Diagnostic> {
    let facts = repository(&prior.repository, context).await?;
    let branch = prior
        .branch
        .filter(|branch| !branch.is_empty())
        .unwrap_or(facts.default_branch);
    Ok(RepositoryFile {
        id: format!(
            "{}:{}:{}",
            id_part(&prior.repository),
            id_part(&prior.file),
            id_part(&branch)
        ),
        branch,
        commit_sha: prior.commit_sha,
        content: prior.content,
        file: prior.file,
        overwrite_on_create: prior.overwrite_on_create,
        repository: prior.repository,
        repository_id: facts.id,
        sha: prior.sha,
    })
}

/// A part of an id: the parts have colons between them, so they can hold none.
fn id_part(text: &str) -> String {
    text.replace(':', "??")
}
