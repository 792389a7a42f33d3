//! The life of a server: it starts, listens, keeps house, and ends when it is told, after what runs is done.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use upstate::Registry;

use super::settings::{File, LogFormat, Serve, Settings};
use super::{first, open, tls};
use crate::api::{self, Options};
use crate::service::Service;
use crate::store::Garbage;

/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(15);

/// How long what runs may take after the server was told to end.
const ENDING: Duration = Duration::from_secs(30);

/// How often the server looks for what is due.
const UPKEEP: Duration = Duration::from_mins(1);

/// How often the server collects garbage, and how old that has to be.
const COLLECTING: Duration = Duration::from_hours(24);

/// Runs a server until it is told to end.
pub(super) async fn serve(registry: Registry, serve: Serve) -> Result<(), String> {
    // What upgrades does not serve yet: the registry is kept for as long as the server lives.
    let _registry = registry;
    let file = File::read(serve.store.config.as_deref())?;
    let store_args = serve.store.clone();
    let settings = Settings::new(serve, file.clone())?;
    start_log(&settings)?;
    api::record_metrics();
    let store = open::store(&store_args, &file).await?;
    let describe = store.describe();
    let service = Service::new(store, settings.conduct.clone()).await.map_err(|error| error.to_string())?;
    let listener = TcpListener::bind(settings.listen)
        .await
        .map_err(|error| format!("{} cannot be listened on: {error}", settings.listen))?;
    let address = listener.local_addr().map_err(|error| format!("the address is not known: {error}"))?;
    let tls = settings.tls.as_ref().map(|(certificates, key)| tls::acceptor(certificates, key)).transpose()?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let url = settings.url.clone().unwrap_or_else(|| format!("{scheme}://{}", reachable(address)));
    let url = url.trim_end_matches('/').to_owned();
    let text = first::start(&service, &url, &settings.init_org, settings.init_token.clone()).await?;
    let mut printed = format!("upstate-server {} listens on {url} ({describe})\n", env!("CARGO_PKG_VERSION"));
    if let Some(text) = text {
        printed.push('\n');
        printed.push_str(&text);
        printed.push('\n');
    }
    // A server outlives whoever reads its first lines.
    if let Err(error) = std::io::stdout().write_all(printed.as_bytes()) {
        tracing::warn!(%error, "standard output is closed; if this was the first start, make a token with `token create`");
    }
    let options =
        Options { snapshot_interval: settings.snapshot_interval, body_budget: settings.body_budget, ..Options::new(&url) };
    let router = api::router(service.clone(), options);
    let upkeep = tokio::spawn(keep_house(service));
    accept(listener, tls, router).await;
    upkeep.abort();
    tracing::info!("ended");
    Ok(())
}

/// An address that a client on this machine can connect to.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() { SocketAddr::from(([127, 0, 0, 1], address.port())) } else { address }
}

/// Takes connections until the process is told to end, then waits for those that are open.
async fn accept(listener: TcpListener, tls: Option<TlsAcceptor>, router: axum::Router) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD);
    builder.http2().timer(TokioTimer::new());
    let graceful = GracefulShutdown::new();
    let mut ending = std::pin::pin!(told_to_end());
    loop {
        let accepted = tokio::select! {
            () = &mut ending => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, most likely: others will be closed.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let (builder, router, watcher, tls) = (builder.clone(), router.clone(), graceful.watcher(), tls.clone());
        tokio::spawn(async move {
            let Some(tls) = tls else { return speak(&builder, stream, router, watcher).await };
            match tokio::time::timeout(HEAD, tls.accept(stream)).await {
                Ok(Ok(stream)) => speak(&builder, stream, router, watcher).await,
                Ok(Err(error)) => tracing::debug!(%error, "a TLS connection was not made"),
                Err(_) => tracing::debug!("a TLS connection took too long to be made"),
            }
        });
    }
    drop(listener);
    tracing::info!("told to end; finishing what runs");
    if tokio::time::timeout(ENDING, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests took too long and were cut off");
    }
}

/// Answers the requests of one connection.
async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    builder: &auto::Builder<TokioExecutor>,
    stream: S,
    router: axum::Router,
    watcher: Watcher,
) {
    let service = TowerToHyperService::new(router);
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    if let Err(error) = watcher.watch(connection).await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Ends when the process is told to: SIGTERM, or Ctrl-C.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
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
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
}

/// Does what is due, again and again.
async fn keep_house(service: Service) {
    let mut ticks = tokio::time::interval(UPKEEP);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut collected = tokio::time::Instant::now();
    loop {
        ticks.tick().await;
        if collected.elapsed() >= COLLECTING {
            collected = tokio::time::Instant::now();
            collect_garbage(&service).await;
        }
        match service.upkeep().await {
            Ok(done) => {
                let (discarded, deleted) = (done.discarded.len(), done.deleted.len());
                if discarded > 0 || deleted > 0 || done.purged > 0 {
                    tracing::info!(discarded, deleted, purged = done.purged, "upkeep");
                }
            }
            Err(failure) => tracing::error!(error = %failure, "upkeep failed"),
        }
    }
}

/// Removes what writers that were killed left behind.
async fn collect_garbage(service: &Service) {
    match service.store().collect_garbage(service.now().before(COLLECTING), false).await {
        Ok(garbage) if garbage == Garbage::default() => {}
        Ok(Garbage { rows, objects, bytes }) => tracing::info!(rows, objects, bytes, "garbage collected"),
        Err(error) => tracing::warn!(%error, "garbage was not collected"),
    }
}

fn start_log(settings: &Settings) -> Result<(), String> {
    let filter = tracing_subscriber::EnvFilter::try_new(&settings.log).map_err(|error| format!("--log: {error}"))?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match settings.log_format {
        LogFormat::Text => log.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| format!("the log cannot be started: {error}"))
}
