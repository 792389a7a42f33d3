//! Sweepers: what failed tests left behind is deleted.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write as _};

use upstate::Diagnostics;

use super::{Failure, fail, shown};
use crate::wire::diagnostics::headed;

/// The environment variable that says which sweepers run.
const GATE: &str = "TF_SWEEP";

/// Deletes what failed acceptance tests left behind, type by type: `make sweep` of a provider in
/// Go.
///
/// A sweeper finds the objects of one type that tests made, by the beginning of their names or a
/// tag, and deletes them. Those of another type that have to be gone first are swept before.
///
/// ```
/// use upstate_provider::testing::Sweepers;
/// # #[derive(Clone)]
/// # struct Client;
/// # impl Client {
/// #     async fn servers(&self) -> std::io::Result<Vec<String>> { Ok(Vec::new()) }
/// #     async fn delete_server(&self, _: &str) -> std::io::Result<()> { Ok(()) }
/// # }
/// # fn client() -> Client { Client }
///
/// // A `#[test]`.
/// fn sweep() {
///     // Does nothing unless the environment has `TF_SWEEP=all`, or `TF_SWEEP=acme_server`.
///     Sweepers::of(client)
///         .add("acme_disk", ["acme_server"], async |_| Ok(()))
///         .add("acme_server", [], async |client: &Client| {
///             for name in client.servers().await?.iter().filter(|name| name.starts_with("acc-test-")) {
///                 client.delete_server(name).await?;
///             }
///             Ok(())
///         })
///         .run();
/// }
/// # sweep();
/// ```
pub struct Sweepers<C> {
    client: Box<dyn Fn() -> C>,
    sweepers: Vec<Sweeper<C>>,
}

struct Sweeper<C> {
    name: String,
    after: Vec<String>,
    sweep: Sweep<C>,
}

type Sweep<C> = Box<dyn Fn(&C, &tokio::runtime::Runtime) -> Result<(), Diagnostics>>;

impl<C: 'static> Sweepers<C> {
    /// Sweepers that share a client, which is made only if one of them runs.
    pub fn of(client: impl Fn() -> C + 'static) -> Self {
        Self {
            client: Box::new(client),
            sweepers: Vec::new(),
        }
    }

    /// Adds a sweeper of a type, which runs after those of other types. A later error does not undo
    /// what it deleted.
    #[must_use]
    pub fn add<const N: usize>(
        mut self,
        name: impl Into<String>,
        after: [&str; N],
        sweep: impl AsyncFn(&C) -> Result<(), Diagnostics> + 'static,
    ) -> Self {
        let sweep: Sweep<C> = Box::new(move |client, runtime| runtime.block_on(sweep(client)));
        self.sweepers.push(Sweeper {
            name: name.into(),
            after: after.map(str::to_owned).into(),
            sweep,
        });
        self
    }

    /// Runs the sweepers that the environment variable `TF_SWEEP` names, with commas between them,
    /// and those that have to run before; `all` are all of them. Without the variable, nothing is
    /// done. One that fails does not keep the others from running, except those that come after it.
    ///
    /// # Panics
    /// A sweeper fails, does not exist, comes after itself, or has the name of another one; the
    /// message names it.
    #[track_caller]
    pub fn run(self) {
        match std::env::var(GATE) {
            Ok(names) if !names.is_empty() => {
                if let Err(failure) = self.try_run(&names) {
                    fail(&failure.to_string());
                }
            }
            _ => {
                let _ = writeln!(
                    io::stderr(),
                    "skipped: sweepers run with {GATE}=all, or with names of types in place of `all`"
                );
            }
        }
    }

    /// Runs the sweepers of these names, as [`run`](Self::run) does, and answers with the failures.
    ///
    /// # Errors
    /// A sweeper fails, does not exist, comes after itself, or has the name of another one.
    pub fn try_run(&self, names: &str) -> Result<(), Failure> {
        let mut known = BTreeSet::new();
        if let Some(second) = self
            .sweepers
            .iter()
            .find(|it| !known.insert(it.name.as_str()))
        {
            return Err(Failure(format!(
                "two sweepers are named {}, so that one of them would not run",
                second.name
            )));
        }
        let mut order = Vec::new();
        if names == "all" {
            for sweeper in &self.sweepers {
                self.queue(&sweeper.name, &mut Vec::new(), &mut order)?;
            }
        } else {
            for name in names.split(',') {
                self.queue(name.trim(), &mut Vec::new(), &mut order)?;
            }
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let client = (self.client)();
        let (mut failed, mut failures) = (BTreeSet::new(), Vec::new());
        for sweeper in order {
            let name = sweeper.name.as_str();
            if let Some(before) = sweeper
                .after
                .iter()
                .find(|before| failed.contains(before.as_str()))
            {
                failures.push(format!("{name} was not swept, because {before} was not"));
                failed.insert(name);
            } else if let Err(diagnostics) = (sweeper.sweep)(&client, &runtime) {
                failures.push(format!(
                    "{name}: {}",
                    shown(&headed(diagnostics, "Unable to Sweep"))
                ));
                failed.insert(name);
            }
        }
        if failures.is_empty() {
            Ok(())
        } else {
            Err(Failure(failures.join("\n")))
        }
    }

    /// Puts a sweeper into the order, after those that have to run before it. `open` are those that
    /// wait for it.
    fn queue<'s>(
        &'s self,
        name: &str,
        open: &mut Vec<String>,
        order: &mut Vec<&'s Sweeper<C>>,
    ) -> Result<(), Failure> {
        if order.iter().any(|sweeper| sweeper.name == name) {
            return Ok(());
        }
        if open.iter().any(|waiting| waiting == name) {
            return Err(Failure(format!(
                "the sweeper {name} comes after itself: {} → {name}",
                open.join(" → ")
            )));
        }
        let Some(sweeper) = self.sweepers.iter().find(|sweeper| sweeper.name == name) else {
            let names: Vec<&str> = self
                .sweepers
                .iter()
                .map(|sweeper| sweeper.name.as_str())
                .collect();
            return Err(Failure(format!(
                "there is no sweeper {name:?}; there are {}",
                names.join(", ")
            )));
        };
        open.push(name.to_owned());
        for before in &sweeper.after {
            self.queue(before, open, order)?;
        }
        open.pop();
        order.push(sweeper);
        Ok(())
    }
}

impl<C> fmt::Debug for Sweepers<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sweepers")
            .field("sweepers", &self.sweepers.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    type Swept = Arc<Mutex<Vec<&'static str>>>;

    /// Disks are in servers, servers in networks; nothing is in a key.
    fn sweepers(broken: &'static str) -> (Sweepers<Swept>, Swept) {
        let swept = Swept::default();
        let client = Arc::clone(&swept);
        let sweeper = move |name: &'static str| {
            async move |swept: &Swept| {
                swept.lock().unwrap().push(name);
                if name == broken {
                    Err("it is busy".into())
                } else {
                    Ok(())
                }
            }
        };
        let sweepers = Sweepers::of(move || Arc::clone(&client))
            .add("network", ["server"], sweeper("network"))
            .add("key", [], sweeper("key"))
            .add("server", ["disk"], sweeper("server"))
            .add("disk", [], sweeper("disk"));
        (sweepers, swept)
    }

    fn ran(names: &str, broken: &'static str) -> (Vec<&'static str>, Result<(), String>) {
        let (sweepers, swept) = sweepers(broken);
        let ran = sweepers
            .try_run(names)
            .map_err(|failure| failure.to_string());
        let swept = swept.lock().unwrap().clone();
        (swept, ran)
    }

    #[test]
    fn what_is_inside_is_swept_first() {
        assert_eq!(
            ran("all", ""),
            (vec!["disk", "server", "network", "key"], Ok(()))
        );
        assert_eq!(ran("server", ""), (vec!["disk", "server"], Ok(())));
        assert_eq!(ran("key, disk", ""), (vec!["key", "disk"], Ok(())));
    }

    #[test]
    fn a_failure_keeps_only_those_that_come_after_from_running() {
        let (swept, failed) = ran("all", "disk");
        assert_eq!(swept, ["disk", "key"]);
        let expected = "disk: Unable to Sweep: it is busy\nserver was not swept, because disk was not\nnetwork was not swept, because server was not";
        assert_eq!(failed.unwrap_err(), expected);
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(
            ran("boat", "").1.unwrap_err(),
            "there is no sweeper \"boat\"; there are network, key, server, disk"
        );
        let circle =
            Sweepers::of(|| ())
                .add("a", ["b"], async |()| Ok(()))
                .add("b", ["a"], async |()| Ok(()));
        let failed = circle.try_run("all").unwrap_err().to_string();
        assert_eq!(failed, "the sweeper a comes after itself: a → b → a");
        let twice = Sweepers::of(|| ())
            .add("a", [], async |()| Ok(()))
            .add("a", [], async |()| Ok(()));
        assert_eq!(
            twice.try_run("all").unwrap_err().to_string(),
            "two sweepers are named a, so that one of them would not run"
        );
    }
}
