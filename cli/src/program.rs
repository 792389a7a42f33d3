//! The program that these commands belong to: its types, and the clients that its upgraders ask.
//!
//! An upgrader that awaits needs a runtime, and usually a client. Both are made when the first of
//! them is met, and not for the others: who only looks at a state needs no credentials.

use std::fmt::Display;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use tokio::runtime::{Builder, Runtime};
use upstate::upgrade::{DowngradeRequest, DowngradeResponse, History};
use upstate::{
    Diagnostic, DiagnosticCode, Registry, ResourceDefinition, UpgradeRequest, UpgradeResponse,
};
use upstate_state::DowngradeGoals;

use crate::terminal;

type Connecting = Pin<Box<dyn Future<Output = Result<Registry, String>>>>;
type Connect = Box<dyn FnOnce(Registry) -> Connecting + Send>;

pub(crate) struct Program {
    registry: Registry,
    /// The lock that is compiled in: who runs the program need not have the file.
    lock: Option<&'static str>,
    /// The name and version of its package, if it says them.
    package: Option<(&'static str, &'static str)>,
    gives_clients: bool,
    connect: Mutex<Option<Connect>>,
    connected: OnceLock<Result<Connected, String>>,
    /// True if an upgrader that awaits failed.
    failed: AtomicBool,
}

struct Connected {
    runtime: Runtime,
    registry: Registry,
}

impl Program {
    pub(crate) fn new(registry: Registry) -> Self {
        let (connect, connected, failed) =
            (Mutex::new(None), OnceLock::new(), AtomicBool::new(false));
        Self {
            registry,
            lock: None,
            package: None,
            gives_clients: false,
            connect,
            connected,
            failed,
        }
    }

    pub(crate) fn with<E: Display>(
        registry: Registry,
        connect: impl AsyncFnOnce(Registry) -> Result<Registry, E> + Send + 'static,
    ) -> Self {
        let connect: Connect = Box::new(|registry| {
            Box::pin(async { connect(registry).await.map_err(|error| error.to_string()) })
        });
        Self {
            gives_clients: true,
            connect: Mutex::new(Some(connect)),
            ..Self::new(registry)
        }
    }

    pub(crate) fn of_package(mut self, name: &'static str, version: &'static str) -> Self {
        self.package = Some((name, version));
        self
    }

    pub(crate) fn locked(mut self, lock: &'static str) -> Self {
        self.lock = Some(lock);
        self
    }

    pub(crate) fn lock(&self) -> Option<&'static str> {
        self.lock
    }

    /// The name and the version for `--version`: those of its package, and then upstate's.
    pub(crate) fn version(&self) -> (&'static str, String) {
        const UPSTATE: &str = env!("CARGO_PKG_VERSION");
        match self.package {
            Some((name, version)) => (name, format!("{version}\nupstate {UPSTATE}")),
            None => ("upstate", UPSTATE.to_owned()),
        }
    }

    /// The release that its package is at: what `main!` has from the compiler, or what cargo says
    /// where cargo runs a program without it.
    pub(crate) fn release(&self) -> Option<String> {
        self.package
            .map(|(_, version)| version.to_owned())
            .or_else(|| std::env::var("CARGO_PKG_VERSION").ok())
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Upgrades, also through upgraders that await.
    pub(crate) fn upgrade(&self, request: &UpgradeRequest<'_>) -> UpgradeResponse {
        // Definitions made at run time have no history, so that there is nothing to ask.
        let is_known = self.registry.get(request.type_name()).is_some();
        if is_known
            && self
                .history(request)
                .is_none_or(|history| history.awaits_from(request.version()))
        {
            self.asking_about(request, request.version(), async |registry| {
                registry.upgrade_async(request).await
            })
        } else {
            self.registry.upgrade(request)
        }
    }

    /// Takes state back, also where the upgrade that checks the result awaits.
    pub(crate) fn downgrade(
        &self,
        goals: &DowngradeGoals,
        request: &UpgradeRequest<'_>,
    ) -> UpgradeResponse {
        match goals.version(request.type_name()) {
            // The client is not called if the verdict already refuses.
            Some(to)
                if !goals.refuses(&self.registry, request)
                    && self
                        .history(request)
                        .is_some_and(|history| history.awaits_from(to)) =>
            {
                self.asking_about(request, to, async |registry| {
                    goals.respond_async(registry, request).await
                })
            }
            _ => goals.respond(&self.registry, request),
        }
    }

    /// Takes an identity back, also where the upgrade that checks the result awaits.
    pub(crate) fn downgrade_identity(&self, request: &DowngradeRequest<'_>) -> DowngradeResponse {
        let identity = self
            .registry
            .get(request.type_name())
            .and_then(ResourceDefinition::identity);
        if identity
            .and_then(ResourceDefinition::history)
            .is_some_and(|history| history.awaits_from(request.to()))
        {
            let ask = async |registry: &Registry| registry.downgrade_identity_async(request).await;
            let answer = self.asking((request.type_name(), request.to()), ask, |response| {
                response.state().is_some()
            });
            return answer.unwrap_or_else(DowngradeResponse::failed);
        }
        self.registry.downgrade_identity(request)
    }

    fn history(&self, request: &UpgradeRequest<'_>) -> Option<&'static History> {
        self.registry.get(request.type_name())?.history()
    }

    fn asking_about(
        &self,
        request: &UpgradeRequest<'_>,
        stored: u64,
        ask: impl AsyncFnOnce(&Registry) -> UpgradeResponse,
    ) -> UpgradeResponse {
        let answer = self.asking((request.type_name(), stored), ask, |response| {
            response.state().is_some()
        });
        answer.unwrap_or_else(UpgradeResponse::failed)
    }

    /// Answers with the clients, which are made when they are first asked; an error says why there
    /// are none.
    fn asking<R>(
        &self,
        (type_name, stored): (&str, u64),
        ask: impl AsyncFnOnce(&Registry) -> R,
        is_done: impl FnOnce(&R) -> bool,
    ) -> Result<R, Diagnostic> {
        let Connected { runtime, registry } = self.connected.get_or_init(|| self.connect()).as_ref().map_err(|error| {
            let detail = format!(
                "The upgrade of {type_name} from schema version {stored} may ask a service, and this program cannot connect to \
                 it: {}.",
                error.trim_end_matches('.')
            );
            Diagnostic::error("Unable to Connect", detail)
                .coded(DiagnosticCode::Unreachable)
                .with_remedy("Check the credentials and the network, and run it again.")
        })?;
        let response = runtime.block_on(ask(registry));
        if !is_done(&response) {
            self.failed.store(true, Ordering::Relaxed);
        }
        Ok(response)
    }

    /// Says what the program lacks, if an upgrade failed that might have wanted it.
    pub(crate) fn say_what_it_lacks(&self) {
        if self.failed.load(Ordering::Relaxed) && !self.gives_clients {
            terminal::warn(
                "an upgrader that may ask a service failed, and this program connects to none; its author can have it connect with \
                 `upstate_cli::main_with`",
            );
        }
    }

    fn connect(&self) -> Result<Connected, String> {
        // A runtime of several threads panics where it cannot start them: at a limit of processes,
        // say.
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let mut builder = if can_start(workers) {
            Builder::new_multi_thread()
        } else {
            Builder::new_current_thread()
        };
        let runtime = builder
            .worker_threads(workers)
            .enable_all()
            .build()
            .map_err(|error: io::Error| error.to_string())?;
        let connect = self
            .connect
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let registry = match connect {
            Some(connect) => runtime.block_on(connect(self.registry.clone()))?,
            None => self.registry.clone(),
        };
        Ok(Connected { runtime, registry })
    }
}

/// True if so many threads can run beside this one.
fn can_start(threads: usize) -> bool {
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        let closed = gate.lock();
        let start = |_| {
            std::thread::Builder::new()
                .spawn_scoped(scope, || drop(gate.lock()))
                .is_ok()
        };
        let all = (0..threads).all(start);
        drop(closed);
        all
    })
}

/// The name of this program.
pub(crate) fn program_name() -> String {
    let name = std::env::args_os()
        .next()
        .and_then(|path| name_of(Path::new(&path)));
    name.unwrap_or_else(|| "upstate".to_owned())
}

/// The name by which a shell finds a program. A dot may be part of it: providers are called
/// `terraform-provider-notes_v1.4.0`.
fn name_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    Some(
        name.strip_suffix(std::env::consts::EXE_SUFFIX)
            .unwrap_or(&name)
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dot_is_part_of_the_name() {
        let path = format!(
            "plugins/terraform-provider-notes_v1.4.0{}",
            std::env::consts::EXE_SUFFIX
        );
        assert_eq!(
            name_of(Path::new(&path)).as_deref(),
            Some("terraform-provider-notes_v1.4.0")
        );
        assert_eq!(name_of(Path::new("/")), None);
    }
}
