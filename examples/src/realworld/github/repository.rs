//! `github_repository`: a list that a data source shows, too.

use upstate::{Object, Resource};

/// A repository.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "github_repository", version = 1)]
#[upgrade_from(0 => 1, drop(branches: Option<Vec<Branch>>, "the data source github_repository_branches lists them"))]
pub struct Repository {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct Branch {
    pub name: Option<String>,
    pub protected: Option<bool>,
}
