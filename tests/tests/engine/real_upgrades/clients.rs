//! What the providers were configured with and what their APIs answered when the cases were
//! recorded.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use upstate::upgrade::BoxFuture;
use upstate::{Diagnostic, Registry, UpgradeRequest};
use upstate_examples::realworld::{github, google};

/// The outcome of one upgrade.
pub(crate) struct Answer {
    pub(crate) state: Option<Vec<u8>>,
    pub(crate) diagnostics: String,
    /// What was stored and no schema defines.
    pub(crate) unknown: Vec<String>,
}

/// What a future gives. The clients here never make it wait.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => done,
        Poll::Pending => panic!("it waits for something that nobody does"),
    }
}

/// Runs an upgrade that may await.
pub(crate) fn answer(registry: &Registry, type_name: &str, version: u64, before: &str) -> Answer {
    let request = UpgradeRequest::json(type_name, version, before.as_bytes());
    let response = ready(registry.upgrade_async(&request));
    Answer {
        state: response.state().map(<[u8]>::to_vec),
        diagnostics: response.diagnostics().to_string(),
        unknown: response
            .undefined()
            .iter()
            .map(ToString::to_string)
            .collect(),
    }
}

/// All resources, with the clients that a case was recorded with.
pub(crate) fn registry(case: &str) -> Registry {
    let owner = github::Owner {
        name: "test".to_owned(),
        is_organization: case.ends_with("_org"),
    };
    upstate_examples::registry()
        .with_client(google::ProviderConfig {
            project: Some("my-project".to_owned()),
        })
        .with_client(github::Client {
            owner,
            api: Box::new(GitHub),
        })
}

struct GitHub;

impl github::Api for GitHub {
    fn repository<'a>(
        &'a self,
        _: &'a str,
        name: &'a str,
    ) -> BoxFuture<'a, Result<github::RepositoryFacts, Diagnostic>> {
        let id = match name {
            "test-repo" => Some(1_234_567_890),
            "my-repo" => Some(123_456),
            _ => None,
        };
        Box::pin(async move {
            let id = id.ok_or_else(|| {
                Diagnostic::error("Not Found", format!("There is no repository {name:?}."))
            })?;
            Ok(github::RepositoryFacts {
                id,
                default_branch: "main".to_owned(),
            })
        })
    }
}
