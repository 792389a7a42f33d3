//! The life of a server: it starts, listens, does its upkeep, and ends when it is asked to, after
//! the requests that run.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use upstate::Registry;

use super::connections::{self, Limits};
use super::settings::{LogFormat, Serve, Settings};
use super::{first, memory, open, tls};
use crate::api::{self, Options};
use crate::service::{Failure, Service, Upkeep};
use crate::store::Garbage;
use crate::traffic::TrustedProxies;
use crate::web;

/// The interval at which the server looks for pending versions, and locks of servers that were
/// killed, whose time ran out.
const EXPIRING: Duration = Duration::from_mins(1);

/// The interval at which the server measures what it does not count.
const MEASURING: Duration = Duration::from_mins(1);

/// The interval at which the server looks for old versions.
const UPKEEP: Duration = Duration::from_hours(1);

/// The interval at which the server looks for jobs that another one accepted.
const WORKING: Duration = Duration::from_secs(5);

/// The interval at which the server collects garbage, and the age of that.
const COLLECTING: Duration = Duration::from_hours(24);

/// The number of connections of the listener for health and metrics.
const WATCHERS: usize = 64;

/// Runs a server until it is asked to end.
pub(super) async fn serve(registry: Registry, serve: Serve) -> Result<(), String> {
    let file = serve.store.file()?;
    let store_args = serve.store.clone();
    let settings = Settings::new(serve, file.clone())?;
    start_log(&settings)?;
    let lock = memory::read(settings.lock.as_deref())?;
    api::record_metrics();
    let store = open::store(&store_args, &file).await?;
    let describe = store.describe();
    let service = Service::new(store, settings.conduct.clone())
        .await
        .map_err(|error| error.to_string())?
        .knowing(registry, lock);
    let listener = listen(settings.listen).await?;
    let address = listener
        .local_addr()
        .map_err(|error| format!("the address is not known: {error}"))?;
    let tls = settings
        .tls
        .as_ref()
        .map(|(certificates, key)| tls::acceptor(certificates, key))
        .transpose()?;
    let watching = match settings.metrics_listen {
        Some(address) => Some(listen(address).await?),
        None => None,
    };
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = settings
        .url
        .clone()
        .unwrap_or_else(|| format!("{scheme}://{}", reachable(address)));
    let url = url.trim_end_matches('/').to_owned();
    let text = first::start(
        &service,
        &url,
        &settings.init_org,
        settings.init_token.clone(),
    )
    .await?;
    let mut printed = format!(
        "upstate-server {} listens on {url} ({describe})\n",
        env!("CARGO_PKG_VERSION")
    );
    if let Some(text) = text {
        printed.push('\n');
        printed.push_str(&text);
        printed.push('\n');
    }
    let ending = end_requested();
    // A server must outlive the reader of its first lines, so the error is only logged.
    if let Err(error) = std::io::stdout().write_all(printed.as_bytes()) {
        tracing::warn!(%error, "standard output is closed; if this was the first start, make a token with `token create`");
    }
    let options = Options {
        snapshot_interval: settings.snapshot_interval,
        body_budget: settings.body_budget,
        trusted_proxies: settings.trusted_proxies.clone(),
        ..Options::new(&url)
    };
    let router = api::router_with(service.clone(), options, web::router(service.clone(), &url));
    let upkeep = tokio::spawn(keep_house(service.clone()));
    let workers = work(&service);
    let process = crate::model::JobId::new().to_string();
    let delivering = tokio::spawn({
        let (service, process) = (service.clone(), process.clone());
        async move { service.keep_delivering(&process).await }
    });
    let limits = Limits::new(
        settings.max_connections,
        settings.connections_per_address,
        settings.trusted_proxies,
    );
    let watching = watching.map(|listener| {
        let few = Limits::new(WATCHERS, Some(WATCHERS), TrustedProxies::default());
        let router = api::watching(service.clone());
        tokio::spawn(async move {
            connections::accept(listener, None, router, few, std::future::pending()).await;
        })
    });
    connections::accept(listener, tls, router, limits, ending).await;
    upkeep.abort();
    if let Some(watching) = watching {
        watching.abort();
    }
    // A workspace that is being upgraded has its new version whole or not at all; another process
    // goes on with the job.
    workers.iter().for_each(tokio::task::JoinHandle::abort);
    delivering.abort();
    // Otherwise the next server would wait for the time of this one to end.
    if let Err(error) = service.stop_delivering(&process).await {
        tracing::warn!(%error, "another server delivers the audit log a little later");
    }
    tracing::info!("ended");
    Ok(())
}

async fn listen(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address)
        .await
        .map_err(|error| format!("{address} cannot be listened on: {error}"))
}

/// An address that a client on this machine can connect to.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        SocketAddr::from(([127, 0, 0, 1], address.port()))
    } else {
        address
    }
}

/// Ends when the process is asked to: SIGTERM, or Ctrl-C. SIGTERM is waited for from the call on,
/// and not only once the future is polled: otherwise one that comes early would end the process at
/// once.
fn end_requested() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let terminate = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate())
    };
    async move {
        #[cfg(unix)]
        match terminate {
            Ok(mut terminate) => {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = tokio::signal::ctrl_c() => {}
                }
            }
            Err(error) => {
                tracing::warn!(%error, "SIGTERM will end the server at once");
                let _ = tokio::signal::ctrl_c().await;
            }
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// Works on jobs, several workspaces at a time.
fn work(service: &Service) -> Vec<tokio::task::JoinHandle<()>> {
    let workers = std::thread::available_parallelism()
        .map_or(2, std::num::NonZero::get)
        .clamp(2, 16);
    let process = crate::model::JobId::new();
    (0..workers)
        .map(|number| {
            let (service, by) = (service.clone(), format!("{process}/{number}"));
            tokio::spawn(async move { service.keep_working(&by, WORKING).await })
        })
        .collect()
}

/// Does what is due, again and again.
async fn keep_house(service: Service) {
    let (mut expiring, mut upkeep) = (
        tokio::time::interval(EXPIRING),
        tokio::time::interval(UPKEEP),
    );
    let mut measuring = tokio::time::interval(MEASURING);
    let mut collecting =
        tokio::time::interval_at(tokio::time::Instant::now() + COLLECTING, COLLECTING);
    for ticks in [&mut expiring, &mut upkeep, &mut measuring, &mut collecting] {
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    }
    loop {
        tokio::select! {
            _ = expiring.tick() => say(service.expire().await),
            _ = upkeep.tick() => say(service.upkeep().await),
            _ = measuring.tick() => measure(&service).await,
            _ = collecting.tick() => collect_garbage(&service).await,
        }
    }
}

fn say(done: Result<Upkeep, Failure>) {
    match done {
        Ok(done) if done == Upkeep::default() => {}
        Ok(Upkeep {
            discarded,
            unlocked,
            deleted,
            purged,
        }) => {
            tracing::info!(
                discarded = discarded.len(),
                unlocked = unlocked.len(),
                deleted = deleted.len(),
                purged,
                "upkeep"
            );
        }
        Err(failure) => tracing::error!(error = %failure, "upkeep failed"),
    }
}

/// Measures what is served as metrics.
async fn measure(service: &Service) {
    if let Err(failure) = service.measure().await {
        tracing::warn!(error = %failure, "locks, size and backups of the store were not measured");
    }
}

/// Removes what writers that were killed left behind.
async fn collect_garbage(service: &Service) {
    match service
        .store()
        .collect_garbage(service.now().before(COLLECTING), false)
        .await
    {
        Ok(garbage) if garbage == Garbage::default() => {}
        Ok(Garbage {
            rows,
            objects,
            bytes,
        }) => tracing::info!(rows, objects, bytes, "garbage collected"),
        Err(error) => tracing::warn!(%error, "garbage was not collected"),
    }
}

fn start_log(settings: &Settings) -> Result<(), String> {
    let filter = tracing_subscriber::EnvFilter::try_new(&settings.log)
        .map_err(|error| format!("--log: {error}"))?;
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = match settings.log_format {
        LogFormat::Text => log
            .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
            .try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| format!("the log cannot be started: {error}"))
}
