//! Writers that write all the time, know what they were promised, and check it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use super::api::{Answer, Api, creation, md5_of, state};

/// Two writers share a workspace, so that they also fight about its lock.
const WRITERS: usize = 8;
const WORKSPACES: usize = 4;

/// A version that is stored, by the answer that its writer got.
#[derive(Debug, Clone)]
struct Acknowledged {
    id: String,
    serial: u64,
    md5: String,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    count: AtomicU64,
    /// What was acknowledged, by workspace.
    acknowledged: Mutex<BTreeMap<usize, Vec<Acknowledged>>>,
}

/// Eight writers. They end when they are asked to, or with the test.
pub struct Load {
    shared: Arc<Shared>,
    workspaces: Vec<(String, String)>,
    writers: Vec<JoinHandle<()>>,
}

impl Load {
    /// Begins to write, to workspaces that it makes. What is random follows from `seed`.
    pub fn start(api: &Api, seed: u64) -> Self {
        let shared = Arc::new(Shared::default());
        let names = (0..WORKSPACES).map(|index| format!("load-{index}"));
        let workspaces: Vec<(String, String)> = names
            .map(|name| (name.clone(), api.create_workspace(&name)))
            .collect();
        let writers = (0..WRITERS).map(|number| {
            let index = number % WORKSPACES;
            let writer = Writer {
                // A client of its own has connections of its own.
                api: api.again(),
                shared: Arc::clone(&shared),
                random: fastrand::Rng::with_seed(seed.wrapping_add(number as u64)),
                index,
                workspace: workspaces[index].1.clone(),
                number,
            };
            std::thread::spawn(move || writer.writes())
        });
        let writers = writers.collect();
        Self {
            shared,
            workspaces,
            writers,
        }
    }

    /// How many versions were acknowledged.
    pub fn count(&self) -> u64 {
        self.shared.count.load(Ordering::Relaxed)
    }

    /// Waits until so many more were acknowledged.
    #[track_caller]
    pub fn goes_on(&self, more: u64) {
        let from = self.count();
        let began = std::time::Instant::now();
        while self.count() < from + more {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "the writers get nowhere"
            );
            assert!(
                self.writers.iter().all(|writer| !writer.is_finished()),
                "a writer failed, see above"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Checks that every workspace has a current version, with its bytes, that is not older than
    /// what was acknowledged by now.
    #[track_caller]
    pub fn check_heads(&self, api: &Api) {
        let before = self.acknowledged();
        for (index, (name, id)) in self.workspaces.iter().enumerate() {
            let Some(last) = before
                .get(&index)
                .and_then(|all| all.iter().map(|one| one.serial).max())
            else {
                continue;
            };
            let current = api.current(id);
            let serial = current.is(200).attribute("serial").as_u64().unwrap();
            assert!(
                serial >= last,
                "{name} is at serial {serial}, but {last} was acknowledged"
            );
            let bytes = api.download(&current.json()["data"]);
            let file: Value = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(
                file["serial"], serial,
                "the bytes of {name} are those of another version"
            );
        }
    }

    /// Lets the writers end, and checks all that was ever acknowledged; gives how many versions
    /// that were.
    #[track_caller]
    pub fn ends(mut self, api: &Api) -> usize {
        self.shared.stop.store(true, Ordering::Relaxed);
        for writer in std::mem::take(&mut self.writers) {
            writer.join().unwrap();
        }
        let acknowledged = self.acknowledged();
        for (index, (name, id)) in self.workspaces.iter().enumerate() {
            let versions = api.versions(name);
            let finalized: Vec<&Value> = versions
                .iter()
                .filter(|version| version["attributes"]["status"] == "finalized")
                .collect();
            let by_id: BTreeMap<&str, &&Value> = finalized
                .iter()
                .map(|version| (version["id"].as_str().unwrap(), version))
                .collect();
            let serials: BTreeSet<u64> = finalized
                .iter()
                .map(|version| version["attributes"]["serial"].as_u64().unwrap())
                .collect();
            assert_eq!(
                serials.len(),
                finalized.len(),
                "two versions of {name} have the same serial"
            );
            let expected = acknowledged.get(&index).cloned().unwrap_or_default();
            let mut digests = BTreeMap::new();
            for version in &finalized {
                let bytes = api.download(version);
                let file: Value = serde_json::from_slice(&bytes).unwrap();
                assert_eq!(file["serial"], version["attributes"]["serial"], "{version}");
                digests.insert(version["id"].as_str().unwrap(), md5_of(&bytes));
            }
            for one in &expected {
                let version = by_id
                    .get(one.id.as_str())
                    .unwrap_or_else(|| panic!("{one:?} of {name} was acknowledged and is lost"));
                assert_eq!(version["attributes"]["serial"], one.serial, "{name}");
                assert_eq!(
                    digests.get(one.id.as_str()),
                    Some(&one.md5),
                    "the bytes of {one:?} of {name} are others"
                );
            }
            let newest = finalized.first().map(|version| version["id"].clone());
            assert_eq!(
                newest,
                expected
                    .first()
                    .map(|_| api.current(id).json()["data"]["id"].clone()),
                "{name}"
            );
        }
        acknowledged.values().map(Vec::len).sum()
    }

    fn acknowledged(&self) -> BTreeMap<usize, Vec<Acknowledged>> {
        self.shared
            .acknowledged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }
}

struct Writer {
    api: Api,
    shared: Arc<Shared>,
    random: fastrand::Rng,
    index: usize,
    workspace: String,
    number: usize,
}

impl Writer {
    fn writes(mut self) {
        let mut round = 0_u64;
        while !self.stopped() {
            round += 1;
            if self.locks() {
                self.stores(round);
                let unlock = format!("/api/v2/workspaces/{}/actions/unlock", self.workspace);
                self.until_answered("POST", &unlock, &[]);
            }
        }
    }

    fn stopped(&self) -> bool {
        self.shared.stop.load(Ordering::Relaxed)
    }

    /// Whether the lock was had. Who doesn't get it takes it away now and then, as somebody would
    /// whose client had died.
    fn locks(&mut self) -> bool {
        let path = format!("/api/v2/workspaces/{}/actions/lock", self.workspace);
        match self.until_answered(
            "POST",
            &path,
            json!({"reason": "load"}).to_string().as_bytes(),
        ) {
            Some(answer) if answer.status == 200 => true,
            Some(answer) => {
                assert_eq!(answer.status, 409, "{answer}");
                if self.random.u32(..16) == 0 {
                    let path =
                        format!("/api/v2/workspaces/{}/actions/force-unlock", self.workspace);
                    self.until_answered("POST", &path, &[]);
                } else {
                    std::thread::sleep(Duration::from_millis(self.random.u64(1..10)));
                }
                false
            }
            None => false,
        }
    }

    /// Stores the next version.
    fn stores(&mut self, round: u64) -> Option<()> {
        let current = self.until_answered(
            "GET",
            &format!(
                "/api/v2/workspaces/{}/current-state-version",
                self.workspace
            ),
            &[],
        )?;
        let serial = match current.status {
            404 => 1,
            _ => current.is(200).attribute("serial").as_u64()? + 1,
        };
        // Some are too large for one packet, or for one page of a database.
        let content = format!(
            "{}-{round} {}",
            self.number,
            "x".repeat(self.random.usize(..20_000))
        );
        let state = state(&format!("lineage-{}", self.index), serial, &content);
        let inline = self.random.bool();
        let create = format!("/api/v2/workspaces/{}/state-versions", self.workspace);
        let made = self.until_answered(
            "POST",
            &create,
            creation(&state, inline).to_string().as_bytes(),
        )?;
        if made.status == 409 {
            // The lock was taken away, and somebody else may have written.
            return None;
        }
        made.is(201);
        if !inline && let Some(url) = made.attribute("hosted-state-upload-url").as_str() {
            let put = self.until_answered("PUT", url, &state)?;
            if put.status == 409 {
                return None;
            }
            assert!(put.status / 100 == 2, "{put}");
        }
        let one = Acknowledged {
            id: made.id(),
            serial,
            md5: md5_of(&state),
        };
        self.shared
            .acknowledged
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(self.index)
            .or_default()
            .push(one);
        self.shared.count.fetch_add(1, Ordering::Relaxed);
        Some(())
    }

    /// Asks until there is an answer that is not about the server itself, as every client does;
    /// `None` once the writers are to end.
    fn until_answered(&mut self, method: &str, path: &str, body: &[u8]) -> Option<Answer> {
        let headers = [("Content-Type", "application/vnd.api+json")];
        for pause in (5..).step_by(5) {
            match self.api.send(method, path, &headers, body) {
                Ok(answer) if answer.status == 503 && path.ends_with("/unlock") => {
                    return Some(answer);
                }
                Ok(answer) if answer.status < 500 => return Some(answer),
                Ok(answer) => assert!([502, 503].contains(&answer.status), "{answer}"),
                Err(_) => {}
            }
            if self.stopped() {
                return None;
            }
            std::thread::sleep(Duration::from_millis(pause.min(50)));
        }
        None
    }
}
