//! States that Terraform's backends `s3`, `gcs` and `azurerm` keep in a bucket.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore};

use super::found::{At, Found, History, Offered, name_here, too_large};
use super::object_versions::ObjectVersions;
use super::version_lists::UNVERSIONED;
use crate::model::Timestamp;
use crate::store::{BucketSettings, objects};

/// The ending of the names of states.
const STATE: &str = ".tfstate";

/// The ending of the names of locks.
const LOCK: &str = ".tflock";

/// The mark before the name of a workspace: a folder of `s3`, and behind the key of `azurerm`.
const MARK: &str = "env:";

/// A bucket, or what is below a prefix of one.
#[derive(Debug)]
pub(super) struct Bucket {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
    url: String,
    /// The versions of its objects, if the service has some.
    versions: Option<ObjectVersions>,
    /// False if the current states are enough.
    has_older: bool,
}

impl Bucket {
    /// A bucket, with the older versions of its objects or without.
    pub(super) fn new(settings: &BucketSettings, has_older: bool) -> Result<Self, String> {
        let (objects, prefix) = objects(settings).map_err(|error| error.to_string())?;
        Ok(Self {
            objects,
            prefix,
            url: settings.url.clone(),
            versions: ObjectVersions::new(settings)?,
            has_older,
        })
    }

    pub(super) fn describe(&self) -> String {
        self.url.clone()
    }

    pub(super) async fn workspaces(&self) -> Result<Vec<Found>, String> {
        let mut listed = self.listed(&self.prefix, "").await?;
        let mark = Path::from(MARK);
        // `s3` puts the name of a workspace before the whole key, so that its state is not below
        // the prefix.
        if self.url.starts_with("s3://")
            && !self.prefix.is_root()
            && !self.prefix.prefix_matches(&mark)
        {
            listed.extend(
                self.listed(
                    &mark,
                    " below env:/, where the workspaces of backend \"s3\" are,",
                )
                .await?,
            );
        }
        let keys = listed
            .iter()
            .map(|object| AsRef::<str>::as_ref(&object.location));
        let locks: HashSet<&str> = keys.filter(|key| key.ends_with(LOCK)).collect();
        let leased = match &self.versions {
            Some(versions) => versions.leased(&self.prefix).await?,
            None => HashSet::new(),
        };
        let mut all: BTreeMap<String, Found> = BTreeMap::new();
        for object in &listed {
            let Some(parts) = below(&object.location, &self.prefix) else {
                continue;
            };
            let Some(name) = workspace_of(&parts) else {
                continue;
            };
            let key: &str = object.location.as_ref();
            let found = all.entry(name.clone()).or_insert_with(|| Found {
                name,
                ..Found::default()
            });
            if let Some(other) = found.states.first() {
                found.wrong = Some(format!(
                    "there are two states of this name, {} and {key}",
                    other.label
                ));
            }
            found.locked |= is_locked(key, &locks) || leased.contains(key);
            let at = At::Object {
                key: object.location.clone(),
                version: None,
            };
            found.states.push(Offered {
                created_at: Some(Timestamp::from_millis(
                    object.last_modified.timestamp_millis(),
                )),
                ..Offered::new(key.to_owned(), at)
            });
        }
        if all.is_empty() {
            return Err(format!("{} holds no object NAME{STATE}", self.url));
        }
        Ok(all.into_values().collect())
    }

    /// The objects below a path, with words for it in messages.
    async fn listed(&self, path: &Path, place: &str) -> Result<Vec<ObjectMeta>, String> {
        let listed: Result<Vec<ObjectMeta>, _> = self.objects.list(Some(path)).try_collect().await;
        listed.map_err(|error| {
            // The client ends the list there, so that nothing behind it is known.
            let is_odd = matches!(error, object_store::Error::InvalidPath { .. });
            let advice = match (is_odd, place) {
                (true, "") => "; rename that object, or name a prefix that it is not below",
                // No other prefix, because with that one, this place is listed, too.
                (true, _) => "; rename that object",
                (false, _) => "",
            };
            format!(
                "the objects of {}{place} cannot be listed: {error}{advice}",
                self.url
            )
        })
    }

    /// The versions of a state, where the service has them.
    pub(super) async fn history(&self, found: &Found) -> Result<History, String> {
        let current_only = || History {
            states: found.states.clone(),
            gone: 0,
        };
        let (true, Some(versions), [current]) =
            (self.has_older, &self.versions, found.states.as_slice())
        else {
            return Ok(current_only());
        };
        let At::Object { key, .. } = &current.at else {
            return Ok(current_only());
        };
        let Some(listed) = versions.of(key).await? else {
            return Ok(current_only());
        };
        let states = listed.into_iter().map(|version| Offered {
            label: format!("version {} of {key}", version.id),
            md5: version.md5,
            created_at: version.created_at.or(current.created_at),
            at: At::Object {
                key: key.clone(),
                // Only S3 takes the id of one that has none.
                version: Some(version.id).filter(|id| versions.has_digests() || id != UNVERSIONED),
            },
            ..current.clone()
        });
        Ok(History {
            states: states.collect(),
            gone: 0,
        })
    }

    /// The bytes of a state, or of a version of it.
    pub(super) async fn state(
        &self,
        key: &Path,
        version: Option<&str>,
        most: usize,
    ) -> Result<Bytes, String> {
        if let (Some(versions), Some(id)) = (&self.versions, version)
            && versions.has_digests()
        {
            return versions.bytes(key, id, most).await;
        }
        let failed =
            |error: object_store::Error| format!("{key} of {} cannot be read: {error}", self.url);
        let options = GetOptions {
            version: version.map(str::to_owned),
            ..GetOptions::default()
        };
        let found = self.objects.get_opts(key, options).await.map_err(failed)?;
        if found.meta.size > u64::try_from(most).unwrap_or(u64::MAX) {
            return Err(too_large(most));
        }
        found.bytes().await.map_err(failed)
    }
}

/// The parts of a key below a prefix, before which the mark and the name of a workspace may stand;
/// then these two are the first parts.
fn below(key: &Path, prefix: &Path) -> Option<Vec<String>> {
    let owned = |path: &Path| {
        path.parts()
            .map(|part| part.as_ref().to_owned())
            .collect::<Vec<String>>()
    };
    let (key, prefix) = (owned(key), owned(prefix));
    if let Some(rest) = key.strip_prefix(prefix.as_slice()) {
        return Some(rest.to_vec());
    }
    let [mark, name, rest @ ..] = key.as_slice() else {
        return None;
    };
    let rest = rest
        .strip_prefix(prefix.as_slice())
        .filter(|_| mark == MARK)?;
    Some([&[mark.clone(), name.clone()][..], rest].concat())
}

/// True if there is the lock of a state: `KEY.tflock` of `s3`, or `NAME.tflock` beside the
/// `NAME.tfstate` of `gcs`.
fn is_locked(key: &str, locks: &HashSet<&str>) -> bool {
    let stem = key.strip_suffix(STATE).unwrap_or(key);
    locks.contains(format!("{key}{LOCK}").as_str())
        || locks.contains(format!("{stem}{LOCK}").as_str())
}

/// The name of the workspace for an object, by the parts of its key below the prefix; `None` if it
/// is not a state.
///
/// `s3` has `KEY` and `env:/NAME/KEY`, `azurerm` `KEY` and `KEYenv:NAME`, `gcs`
/// `PREFIX/NAME.tfstate`. The parts are joined by `-`, the name of the workspace last.
fn workspace_of(parts: &[String]) -> Option<String> {
    let (file, mut folders) = parts.split_last()?;
    let (stem, behind) = file.rsplit_once(STATE)?;
    let mut workspace = None;
    if let [first, name, rest @ ..] = folders
        && first == MARK
    {
        (folders, workspace) = (rest, Some(name.as_str()));
    }
    if !behind.is_empty() {
        workspace = Some(behind.strip_prefix(MARK)?);
    }
    let mut name: Vec<&str> = folders.iter().map(String::as_str).collect();
    // Without the usual name of a state, which adds nothing to that of a folder or a workspace.
    if stem != "terraform" || (name.is_empty() && workspace.is_none()) {
        name.push(stem.strip_suffix(".terraform").unwrap_or(stem));
    }
    name.extend(workspace);
    Some(name_here(&name.join("-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_a_state_names_its_workspace() {
        let name = |key: &str| workspace_of(&key.split('/').map(str::to_owned).collect::<Vec<_>>());
        for (key, expected) in [
            ("net/terraform.tfstate", Some("net")),
            ("acme/net/terraform.tfstate", Some("acme-net")),
            ("env:/prod/net/terraform.tfstate", Some("net-prod")),
            ("env:/prod/terraform.tfstate", Some("prod")),
            ("terraform.tfstate", Some("terraform")),
            ("net/default.tfstate", Some("net-default")),
            ("prod.terraform.tfstate", Some("prod")),
            ("prod.terraform.tfstateenv:blue", Some("prod-blue")),
            ("a b/c.d.tfstate", Some("a-b-c-d")),
            ("net/terraform.tfstate.backup", None),
            ("net/terraform.tfstate.tflock", None),
            ("net/default.tflock", None),
            ("README.md", None),
        ] {
            assert_eq!(name(key).as_deref(), expected, "{key}");
        }
    }

    #[test]
    fn the_name_of_a_workspace_is_before_the_prefix() {
        let parts =
            |key: &str| below(&Path::from(key), &Path::from("infra")).map(|parts| parts.join("/"));
        assert_eq!(
            parts("infra/net/terraform.tfstate").as_deref(),
            Some("net/terraform.tfstate")
        );
        assert_eq!(
            parts("env:/prod/infra/net/terraform.tfstate").as_deref(),
            Some("env:/prod/net/terraform.tfstate")
        );
        for key in [
            "env:/prod/infrastructure/terraform.tfstate",
            "prod/net/infra/terraform.tfstate",
            "env:",
            "net.tfstate",
        ] {
            assert_eq!(parts(key), None, "{key}");
        }
    }

    #[test]
    fn a_lock_beside_a_state_is_seen() {
        let locks = HashSet::from(["a/terraform.tfstate.tflock", "b/prod.tflock"]);
        let locked = ["a/terraform.tfstate", "b/prod.tfstate", "b/dev.tfstate"]
            .map(|key| is_locked(key, &locks));
        assert_eq!(locked, [true, true, false]);
    }
}
