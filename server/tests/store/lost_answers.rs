//! An answer of `PostgreSQL` that is lost: a proxy before it passes a COMMIT on, and goes away with
//! the answer.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use upstate_server::__internal::model::Timestamp;
use upstate_server::__internal::store::encryption;
use upstate_server::__internal::store::postgres::{Postgres, Settings};

use crate::bucket_server::Bucket;
use crate::on_postgres::{Apart, bucket_settings, database, objects};
use crate::sealed;
use crate::suite::Shared;

/// The end of what a client sends that commits.
const COMMIT: &[u8] = b"COMMIT\0";

/// Passes on what client and server send, up to the first COMMIT while it is armed.
async fn pass_on(mut client: TcpStream, socket: &Path, armed: &AtomicBool) -> std::io::Result<()> {
    let mut server = UnixStream::connect(socket).await?;
    let (mut sent, mut answered) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        tokio::select! {
            count = client.read(&mut sent) => {
                let sent = &sent[..count?];
                server.write_all(sent).await?;
                if sent.is_empty() {
                    return Ok(());
                }
                if sent.ends_with(COMMIT) && armed.swap(false, Ordering::Relaxed) {
                    // Once there is an answer, it was done.
                    return server.read(&mut answered).await.map(drop);
                }
            }
            count = server.read(&mut answered) => {
                let answered = &answered[..count?];
                client.write_all(answered).await?;
                if answered.is_empty() {
                    return Ok(());
                }
            }
        }
    }
}

/// A database behind a proxy, which loses the answer to the next COMMIT once it is armed.
async fn behind_a_proxy(
    settings: &Settings,
    socket: std::path::PathBuf,
) -> (Settings, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("its number").port();
    let armed = Arc::new(AtomicBool::new(false));
    let loses = Arc::clone(&armed);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (socket, loses) = (socket.clone(), Arc::clone(&loses));
            tokio::spawn(async move { pass_on(client, &socket, &loses).await });
        }
    });
    let name = settings.url.rsplit('/').next().expect("a name");
    let url = format!("postgresql://postgres@127.0.0.1:{port}/{name}?sslmode=disable");
    (
        Settings {
            url,
            ..settings.clone()
        },
        armed,
    )
}

/// Rows may name the new objects although `encrypt` failed: none of them is deleted, and what
/// nothing names is garbage.
#[tokio::test(flavor = "multi_thread")]
async fn encryption_whose_commit_was_not_answered_loses_no_object() {
    let (server, settings) = database().await;
    let bucket = Apart::made(Bucket::start).await;
    let settings = Settings {
        bucket: Some(bucket_settings(bucket.get())),
        ..settings
    };
    let plain: Shared = Arc::new(Postgres::open(&settings).await.expect("a store"));
    let secrets = sealed::fill(&plain).await;
    let before = objects(&bucket);

    let (through, armed) = behind_a_proxy(&settings, server.get().socket()).await;
    let command = Postgres::open(&through)
        .await
        .expect("a store")
        .with_keyring(sealed::keyring(&sealed::key(1), false));
    armed.store(true, Ordering::Relaxed);
    let error = encryption::encrypt(&command, false)
        .await
        .expect_err("the answer is lost");
    assert!(
        error.is_passing() && !armed.load(Ordering::Relaxed),
        "{error}"
    );
    encryption::encrypt(&command, false)
        .await
        .expect("it goes on");
    let strict = Postgres::open(&settings)
        .await
        .expect("a store")
        .with_keyring(sealed::keyring(&sealed::key(1), true));
    let strict: Shared = Arc::new(strict);
    sealed::is_whole(&strict, &secrets).await;

    assert_eq!(objects(&bucket), 2 * before);
    let later = Timestamp::now().after(Duration::from_hours(1));
    strict.collect_garbage(later, false).await.expect("a store");
    assert_eq!(objects(&bucket), before);
    assert_eq!(sealed::found(&bucket.get().contents(), &secrets), 0);
    sealed::is_whole(&strict, &secrets).await;
}
