//! The way to `PostgreSQL`, encrypted. The programs of the tests have no TLS, so a proxy is before
//! them that speaks it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio_rustls::TlsAcceptor;
use upstate_server::__internal::model::ContentKind;
use upstate_server::__internal::store::postgres::{Postgres, Settings};

use crate::certified;
use crate::on_postgres::{Apart, Server, database};
use crate::suite::{self, Shared};

/// What a client sends that asks for TLS.
const ASKS: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// The proxy before a database.
struct Front {
    port: u16,
    /// How many connections were encrypted, and how many were not.
    seen: Arc<[AtomicUsize; 2]>,
    /// The certificate of the authority.
    authority: PathBuf,
    settings: Settings,
    _kept: (TempDir, Apart<Arc<Server>>),
}

impl Front {
    /// One that has TLS, for `localhost`, or has none.
    async fn start(has_tls: bool) -> Self {
        let (server, settings) = database().await;
        let folder = tempfile::tempdir().expect("a folder");
        let authority = folder.path().join("authority.pem");
        let config = certified::config(&authority);
        let acceptor = has_tls.then(|| TlsAcceptor::from(Arc::new(config)));
        let socket = server.get().socket();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let seen: Arc<[AtomicUsize; 2]> = Arc::default();
        let counted = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (acceptor, socket, counted) =
                    (acceptor.clone(), socket.clone(), Arc::clone(&counted));
                tokio::spawn(async move { pass_on(client, acceptor, &socket, &counted).await });
            }
        });
        Self {
            port,
            seen,
            authority,
            settings,
            _kept: (folder, server),
        }
    }

    /// The database behind it, by a name of this machine.
    fn settings(&self, host: &str, mode: &str, is_trusted: bool) -> Settings {
        let database = self.settings.url.rsplit('/').next().expect("a name");
        let url = format!(
            "postgresql://postgres:hunter2@{host}:{}/{database}{mode}",
            self.port
        );
        let authorities = is_trusted.then(|| self.authority.clone());
        Settings {
            url,
            authorities,
            ..self.settings.clone()
        }
    }

    fn seen(&self) -> [usize; 2] {
        [0, 1].map(|kind: usize| self.seen[kind].swap(0, Ordering::Relaxed))
    }
}

/// A client that does not like what it sees goes away; nobody needs to know.
async fn pass_on(
    mut client: TcpStream,
    acceptor: Option<TlsAcceptor>,
    socket: &std::path::Path,
    seen: &[AtomicUsize; 2],
) {
    let mut first = [0; 8];
    if client.read_exact(&mut first).await.is_err() {
        return;
    }
    let Ok(mut server) = UnixStream::connect(socket).await else {
        return;
    };
    if first != ASKS {
        seen[1].fetch_add(1, Ordering::Relaxed);
        let _ = server.write_all(&first).await;
        let _ = copy_bidirectional(&mut client, &mut server).await;
        return;
    }
    let Some(acceptor) = acceptor else {
        let _ = client.write_all(b"N").await;
        seen[1].fetch_add(1, Ordering::Relaxed);
        let _ = copy_bidirectional(&mut client, &mut server).await;
        return;
    };
    let _ = client.write_all(b"S").await;
    if let Ok(mut client) = acceptor.accept(client).await {
        seen[0].fetch_add(1, Ordering::Relaxed);
        let _ = copy_bidirectional(&mut client, &mut server).await;
    }
}

async fn works(settings: &Settings) {
    let store: Shared = Arc::new(Postgres::open(settings).await.expect("a store"));
    let id = suite::workspace(&store).await;
    let version = suite::write(&store, &id, 1, b"kept").await;
    let bytes = store
        .bytes(&version, ContentKind::State)
        .await
        .expect("a store");
    assert_eq!(bytes.as_deref(), Some(&b"kept"[..]));
}

async fn is_refused(settings: &Settings, why: &str) {
    let error = Postgres::open(settings)
        .await
        .expect_err("it is refused")
        .to_string();
    assert!(error.contains(why) && !error.contains("hunter2"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_an_authority_that_is_named_is_taken() {
    for mode in ["", "?sslmode=prefer", "?sslmode=require"] {
        let front = Front::start(true).await;
        works(&front.settings("localhost", mode, true)).await;
        let [encrypted, plain] = front.seen();
        assert!(
            encrypted > 0 && plain == 0,
            "{mode}: {encrypted} encrypted, {plain} plain"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn any_other_certificate_is_refused_and_nothing_is_sent() {
    let front = Front::start(true).await;
    for mode in ["", "?sslmode=require"] {
        // Nobody trusts the authority; or the certificate is for another host.
        is_refused(&front.settings("localhost", mode, false), "certificate").await;
        is_refused(&front.settings("127.0.0.1", mode, true), "certificate").await;
    }
    assert_eq!(front.seen()[1], 0);
    let nothing = Settings {
        authorities: Some("nowhere.pem".into()),
        ..front.settings("localhost", "", true)
    };
    is_refused(
        &nothing,
        "the certificate authorities in nowhere.pem cannot be read",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_tls_is_taken_unless_tls_is_required() {
    let front = Front::start(false).await;
    is_refused(
        &front.settings("localhost", "?sslmode=require", true),
        "TLS",
    )
    .await;
    front.seen();
    works(&front.settings("localhost", "", false)).await;
    assert!(matches!(front.seen(), [0, plain] if plain > 0));
    let front = Front::start(true).await;
    works(&front.settings("localhost", "?sslmode=disable", false)).await;
    assert!(matches!(front.seen(), [0, plain] if plain > 0));
}
