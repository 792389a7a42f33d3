//! `github_repository`: a list that a data source shows, too.

use upstate::{Object, Resource};

/// A repository.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository", version = 1)]
#[upgrade_from(0, model = RepositoryV0, drop(branches, "the data source github_repository_branches lists them"))]
pub struct Repository {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
}

/// The repository while it listed its branches.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository", version = 0)]
pub struct RepositoryV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    #[attribute(computed)]
    pub branches: Option<Vec<Branch>>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Branch {
    pub name: Option<String>,
    pub protected: Option<bool>,
}
