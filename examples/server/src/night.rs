//! A night of the demo: a fleet of teams, a job of which some workspaces failed, one taken back, a lock that somebody forgot, states that cannot be read.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use serde_json::{Map, Value, json};
use upstate_server::__internal::content::Content;
use upstate_server::__internal::model::{
    OrganizationId, Permissions, Principal, Selection, Timestamp,
};
use upstate_server::__internal::service::{
    CreateVersion, LockRequest, NewJob, NewPlan, NewWorkspace, Service, TokenFor,
};

type Done<T> = Result<T, Box<dyn Error>>;

/// The teams and stages of the fleet, each with some workspaces.
const TEAMS: [&str; 4] = ["shop", "data", "search", "edge"];
const STAGES: [&str; 3] = ["dev", "stage", "prod"];

/// The workspaces of all teams, if nothing else is asked for.
pub(crate) const FLEET: usize = 60;

/// The resources of a workspace of the fleet.
const RESOURCES: usize = 4;

/// A clock that is moved on, so that the night is over when the demo begins.
#[derive(Debug, Clone)]
pub(crate) struct Clock(Arc<AtomicI64>);

impl Clock {
    /// A clock that is behind by so much.
    pub(crate) fn behind(by: Duration) -> Self {
        Self(Arc::new(AtomicI64::new(
            Timestamp::now().before(by).as_millis(),
        )))
    }

    /// The time: each look at it is a bit later, so that the order of events is kept.
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(40, Ordering::Relaxed))
    }

    fn wait(&self, duration: Duration) {
        self.0.fetch_add(
            i64::try_from(duration.as_millis()).unwrap_or_default(),
            Ordering::Relaxed,
        );
    }
}

/// The demo's organization, and who fills it.
pub(crate) struct Scene<'s> {
    pub(crate) service: &'s Service,
    pub(crate) clock: &'s Clock,
    pub(crate) owner: &'s Principal,
    pub(crate) organization: (&'s str, &'s OrganizationId),
    /// A state with all resources.
    pub(crate) whole: &'s Map<String, Value>,
    /// The number of workspaces of all teams.
    pub(crate) fleet: usize,
}

impl Scene<'_> {
    /// Makes a workspace with a state.
    pub(crate) async fn add(&self, name: &str, description: &str, state: String) -> Done<()> {
        let new = NewWorkspace {
            name: name.to_owned(),
            description: description.to_owned(),
            ..NewWorkspace::default()
        };
        self.store(new, state).await
    }

    async fn store(&self, new: NewWorkspace, state: String) -> Done<()> {
        let workspace = self
            .service
            .create_workspace(self.owner, self.organization.0, new)
            .await?
            .id;
        let content = Content::read(state.as_bytes());
        let request = CreateVersion {
            serial: content.serial.unwrap_or_default(),
            md5: content.md5,
            state: Some(state.into()),
            ..CreateVersion::default()
        };
        self.service
            .lock(
                self.owner,
                &workspace,
                LockRequest {
                    reason: "the demo".to_owned(),
                    ..LockRequest::default()
                },
            )
            .await?;
        let writable = self.service.may_create(self.owner, &workspace).await?;
        self.service.create(self.owner, writable, request).await?;
        self.service.unlock(self.owner, &workspace, None).await?;
        Ok(())
    }

    /// A state with these resources.
    pub(crate) fn state_of(&self, resources: Vec<Value>) -> Done<String> {
        let mut state = self.whole.clone();
        state.insert("resources".to_owned(), resources.into());
        Ok(format!("{}\n", serde_json::to_string_pretty(&state)?))
    }

    fn resources(&self) -> &[Value] {
        self.whole
            .get("resources")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// The fleet, and the night.
    pub(crate) async fn play(&self) -> Done<()> {
        let mut at = 0;
        let each = self.fleet.div_ceil(TEAMS.len() * STAGES.len());
        for team in TEAMS {
            for stage in STAGES {
                for number in 1..=each {
                    let resources = self
                        .resources()
                        .iter()
                        .cycle()
                        .skip(at)
                        .take(RESOURCES)
                        .cloned()
                        .collect();
                    at += RESOURCES;
                    let tag = |key: &str, value: &str| (key.to_owned(), Some(value.to_owned()));
                    let new = NewWorkspace {
                        name: format!("{team}-{stage}-{number:02}"),
                        description: format!("Workspace {number} of {team}, {stage}"),
                        tags: vec![tag("team", team), tag("env", stage)],
                        ..NewWorkspace::default()
                    };
                    self.store(new, self.state_of(resources)?).await?;
                }
                self.clock.wait(Duration::from_mins(11));
            }
        }
        for name in ["payments-prod-legacy", "payments-prod-ledger"] {
            self.add(
                name,
                "A value that no release should have stored",
                self.state_of(vec![self.broken()?])?,
            )
            .await?;
        }
        let future = json!({
            "mode": "managed", "type": "aws_instance", "name": "next", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
            "instances": [{ "schema_version": 9, "attributes": { "id": "i-0123456789abcdef0" } }],
        });
        self.add(
            "from-the-future",
            "Written by a later release of the provider",
            self.state_of(vec![future])?,
        )
        .await?;
        self.add(
            "billing-prod-archive",
            "Nobody has applied it since Terraform 0.11",
            self.of_format_3()?,
        )
        .await?;
        self.clock.wait(Duration::from_mins(80));
        let new = NewPlan {
            selection: Selection::default(),
            back: None,
        };
        self.service
            .create_plan(self.owner, self.organization.0, new)
            .await?;
        self.work().await?;
        self.clock.wait(Duration::from_mins(40));
        let selection = Selection {
            names: Some("*-prod-*".to_owned()),
            ..Selection::default()
        };
        let new = NewJob {
            selection,
            plan: None,
            concurrency: 4,
            stop: None,
            back: None,
        };
        self.service
            .create_job(self.owner, self.organization.0, new)
            .await?;
        self.work().await?;
        self.clock.wait(Duration::from_mins(70));
        self.take_back("data-prod-02").await?;
        self.clock.wait(Duration::from_mins(90));
        self.forget_lock("search-prod-01").await
    }

    /// A resource whose upgrade fails.
    fn broken(&self) -> Done<Value> {
        let is_one = |resource: &&Value| {
            resource["type"] == "aiven_pg"
                && resource.pointer("/instances/0/schema_version") == Some(&json!(0))
        };
        let mut resource = self
            .resources()
            .iter()
            .find(is_one)
            .ok_or("the example state has no aiven_pg of version 0")?
            .clone();
        let hour = resource
            .pointer_mut("/instances/0/attributes/pg_user_config/0/backup_hour")
            .ok_or("no backup_hour")?;
        *hour = json!("four");
        Ok(resource)
    }

    /// A state in the format of Terraform up to 0.11.
    fn of_format_3(&self) -> Done<String> {
        let mut state = self.whole.clone();
        let modules =
            json!([{ "path": ["root"], "outputs": {}, "resources": {}, "depends_on": [] }]);
        state.retain(|name, _| matches!(name.as_str(), "lineage" | "serial"));
        state.extend([
            ("version".to_owned(), json!(3)),
            ("terraform_version".to_owned(), json!("0.11.14")),
            ("modules".to_owned(), modules),
        ]);
        Ok(format!("{}\n", serde_json::to_string_pretty(&state)?))
    }

    /// Works on plans and jobs until none is left.
    async fn work(&self) -> Done<()> {
        while self.service.work_on_jobs("the demo").await? {}
        Ok(())
    }

    async fn take_back(&self, name: &str) -> Done<()> {
        let found = self
            .service
            .store()
            .workspace(self.organization.1, name)
            .await?
            .ok_or("no such workspace")?;
        let head = found.head.ok_or("no state")?;
        let version = self
            .service
            .store()
            .version(&head)
            .await?
            .ok_or("no version")?;
        if let Some(source) = &version.upgraded_from {
            self.service
                .rollback_now(self.owner, &found.id, source, &head)
                .await?;
        }
        Ok(())
    }

    async fn forget_lock(&self, name: &str) -> Done<()> {
        let found = self
            .service
            .store()
            .workspace(self.organization.1, name)
            .await?
            .ok_or("no such workspace")?;
        let team = self
            .service
            .ensure_team("demo", self.organization.1, "deployment", Permissions::ALL)
            .await?;
        self.service.join("demo", &team, "deploy-bot").await?;
        let member = TokenFor::Member {
            name: "deploy-bot".to_owned(),
            organization: self.organization.1.clone(),
            within: Permissions::ALL,
        };
        let token = self
            .service
            .create_token("demo", member, "of the pipeline", None, None)
            .await?
            .secret;
        let bot = self.service.authenticate(&token).await?;
        let request = LockRequest {
            reason: "apply of release 42, do not touch".to_owned(),
            ..LockRequest::default()
        };
        self.service.lock(&bot, &found.id, request).await?;
        Ok(())
    }
}

/// A lock with the release before the one of a lock: each type that has an earlier version was stored at the newest of these then.
pub(crate) fn with_earlier_release(lock: &str) -> String {
    let heading = |line: &str| {
        let (head, rest) = line.strip_prefix('[')?.split_once(']')?;
        let (name, version) = head.split_once(' ')?;
        Some((
            name.to_owned(),
            version.parse::<u64>().ok()?,
            rest.to_owned(),
        ))
    };
    let mut lines: Vec<String> = Vec::new();
    let mut before: Option<(String, usize)> = None;
    for line in lock.lines() {
        match heading(line) {
            Some((name, _, rest)) if rest.ends_with(" released") => {
                before = Some((name, lines.len()));
            }
            Some((name, ..)) => {
                if let Some(at) = before
                    .take()
                    .filter(|(earlier, _)| *earlier == name)
                    .map(|(_, at)| at)
                    && let Some(heading) = lines.get_mut(at)
                {
                    heading.push_str(" 0.0.9");
                }
            }
            None => {}
        }
        if line.starts_with("release ") && !lines.iter().any(|line| line.starts_with("release ")) {
            lines.push("release 0.0.9".to_owned());
        }
        lines.push(line.to_owned());
    }
    lines.join("\n") + "\n"
}
