//! Connections, how they are made, and what becomes of their errors.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime, Timeouts,
    Transaction,
};
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Config, IsolationLevel};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::Settings;
use crate::authorities;
use crate::causes::with_causes;
use crate::store::StoreError;
use crate::store::session::Fault;

/// The longest time that a request waits for a connection: of the pool, and of the database.
const WAIT: Duration = Duration::from_secs(10);

/// The statements with which every connection begins. A process that hangs gives its locks back, a
/// statement sees what ended before it, and no commit that was acknowledged is lost in a crash,
/// whatever the database's own settings allow.
const BEGIN: &str = "SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '60s';
    SET default_transaction_isolation = 'read committed';
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/// The number of statements that a connection keeps prepared, several times as many as there are. The
/// statement of a list has a condition for each of its filters, so that requests could have others
/// prepared for ever.
const STATEMENTS: usize = 1000;

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Self {
        // Without the detail, which holds values of the row.
        let what = match error.as_db_error() {
            Some(described) => {
                let constraint = described
                    .constraint()
                    .map(|name| format!(" ({name})"))
                    .unwrap_or_default();
                format!(
                    "PostgreSQL refused: {} {}{constraint}",
                    described.code().code(),
                    described.message()
                )
            }
            None => format!("PostgreSQL cannot be reached: {}", with_causes(&error)),
        };
        let code = error.code();
        let failed = if code.is_none_or(is_passing) {
            StoreError::passing(what)
        } else if code == Some(&SqlState::FOREIGN_KEY_VIOLATION) {
            StoreError::broken_reference(what)
        } else {
            StoreError::new(what)
        };
        // A reference fails where another transaction swept the bytes away meanwhile: next time
        // they are written.
        let collisions = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::FOREIGN_KEY_VIOLATION,
        ];
        if code.is_some_and(|code| collisions.contains(code)) {
            Self::collision(failed)
        } else if code == Some(&SqlState::UNIQUE_VIOLATION) {
            let index = error
                .as_db_error()
                .and_then(|error| error.constraint())
                .map(str::to_owned);
            Self::duplicate(failed, index.or_else(|| Some(String::new())))
        } else {
            failed.into()
        }
    }
}

/// True if what failed with this code may work in a moment: connections, resources, an
/// administrator, a transaction that collided.
fn is_passing(code: &SqlState) -> bool {
    // A database that only reads is a standby, which soon writes, or soon is not where clients are
    // sent.
    ["08", "40", "53", "57", "58"]
        .iter()
        .any(|class| code.code().starts_with(class))
        || [
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::READ_ONLY_SQL_TRANSACTION,
        ]
        .contains(code)
}

/// Reads the address of a database.
pub(super) fn config(settings: &Settings) -> Result<Config, StoreError> {
    let mut config = Config::from_str(&settings.url).map_err(|error| {
        // Without the address itself, which may hold a password.
        StoreError::new(
            "the database URL cannot be read; expected postgresql://user:password@host/database",
        )
        .because(error)
    })?;
    if config.get_dbname().is_none() {
        return Err(StoreError::new(
            "the database URL names no database; expected postgresql://user:password@host/database",
        ));
    }
    if config.get_application_name().is_none() {
        config.application_name("upstate-server");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(WAIT);
    }
    Ok(config)
}

/// A database in words, without its password.
pub(super) fn describe(config: &Config) -> String {
    let hosts: Vec<String> = config
        .get_hosts()
        .iter()
        .map(|host| match host {
            Host::Tcp(name) => name.clone(),
            #[cfg(unix)]
            Host::Unix(path) => path.display().to_string(),
        })
        .collect();
    format!(
        "PostgreSQL database {} at {}",
        config.get_dbname().unwrap_or_default(),
        hosts.join(", ")
    )
}

/// Makes the pool; no connection is opened yet.
pub(super) fn pool(config: Config, settings: &Settings) -> Result<Pool, StoreError> {
    let manager = Manager::from_config(
        config,
        tls(settings)?,
        ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        },
    );
    Pool::builder(manager)
        .max_size(settings.connections.max(1))
        .timeouts(Timeouts {
            wait: Some(WAIT),
            create: Some(WAIT),
            recycle: Some(WAIT),
        })
        .runtime(Runtime::Tokio1)
        .post_create(Hook::async_fn(|client, _| {
            Box::pin(async move {
                client
                    .batch_execute(BEGIN)
                    .await
                    .map_err(HookError::Backend)
            })
        }))
        .build()
        .map_err(|error| {
            StoreError::new("the connections to PostgreSQL cannot be managed").because(error)
        })
}

/// TLS trusts what the operating system trusts, the authorities of this process, and those of a
/// file.
fn tls(settings: &Settings) -> Result<MakeRustlsConnect, StoreError> {
    let failed =
        |what: &str, error: &dyn std::error::Error| StoreError::new(format!("{what}: {error}"));
    let mut extra = authorities::trusted().to_vec();
    if let Some(file) = &settings.authorities {
        extra.extend(authorities::read(file).map_err(StoreError::new)?);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        rustls_platform_verifier::Verifier::new_with_extra_roots(extra, Arc::clone(&provider))
            .map_err(|error| failed("certificates cannot be checked", &error))?;
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed("TLS cannot be set up", &error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// A connection of the pool.
pub(super) async fn client(pool: &Pool) -> Result<Object, StoreError> {
    use deadpool_postgres::PoolError;
    let taken: Result<Object, StoreError> = pool.get().await.map_err(|error| match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            Fault::from(error).into()
        }
        PoolError::Timeout(_) => StoreError::passing(format!(
            "PostgreSQL gave no connection within {} seconds",
            WAIT.as_secs()
        )),
        PoolError::Closed | PoolError::NoRuntimeSpecified | PoolError::PostCreateHook(_) => {
            StoreError::new("the connections to PostgreSQL are closed").because(error)
        }
    });
    let client = taken?;
    if client.statement_cache.size() > STATEMENTS {
        client.statement_cache.clear();
    }
    Ok(client)
}

/// A transaction that writes. Each of its statements sees what others wrote while it waited for a
/// lock: at a higher level it would miss that, such as a name that another workspace has just left.
pub(super) async fn begin(client: &mut Object) -> Result<Transaction<'_>, StoreError> {
    client
        .build_transaction()
        .isolation_level(IsolationLevel::ReadCommitted)
        .start()
        .await
        .map_err(|error| Fault::from(error).into())
}

/// A transaction that reads: all of it sees the same moment.
pub(super) async fn moment(client: &mut Object) -> Result<Transaction<'_>, StoreError> {
    let builder = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true);
    builder
        .start()
        .await
        .map_err(|error| Fault::from(error).into())
}

/// Ends a transaction; what it wrote is kept.
pub(super) async fn done(transaction: Transaction<'_>) -> Result<(), StoreError> {
    transaction
        .commit()
        .await
        .map_err(|error| Fault::from(error).into())
}
