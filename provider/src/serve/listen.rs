//! The address for the host: a Unix socket, or a TCP port of this machine.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use super::handshake::{Address, Handshake};

#[derive(Debug)]
pub(super) enum Listener {
    Tcp(TcpListener, Address),
    #[cfg(unix)]
    Unix {
        listener: tokio::net::UnixListener,
        address: Address,
        _folder: tempfile::TempDir,
    },
}

impl Listener {
    /// Listens as the host wants it: on a Unix socket where there are any, unless the environment
    /// asks for a port.
    pub(super) fn open(handshake: &Handshake) -> io::Result<Self> {
        #[cfg(unix)]
        if !handshake.tcp {
            // Said here, because the setting is read only where a host starts the provider.
            const HELP: &str = "; or serve over TCP with UPSTATE_PROVIDER_TCP=1";
            return Self::unix(
                handshake.socket_folder.as_deref(),
                handshake.socket_group.as_deref(),
            )
            .map_err(|error| io::Error::new(error.kind(), format!("{error}{HELP}")));
        }
        Self::tcp(handshake.ports)
    }

    /// Listens on the first free port of a range; port 0 is any.
    pub(super) fn tcp((from, to): (u16, u16)) -> io::Result<Self> {
        let mut last = io::Error::from(io::ErrorKind::AddrInUse);
        for port in from..=to {
            match std::net::TcpListener::bind(("127.0.0.1", port)) {
                Ok(listener) => {
                    listener.set_nonblocking(true)?;
                    let address = Address {
                        network: "tcp",
                        address: listener.local_addr()?.to_string(),
                    };
                    return Ok(Self::Tcp(TcpListener::from_std(listener)?, address));
                }
                Err(error) => last = error,
            }
        }
        let problem = format!("no port from {from} to {to} is free: {last}");
        Err(io::Error::new(last.kind(), problem))
    }

    /// Listens on a socket in a new folder that only this user may enter, unless a group is named.
    #[cfg(unix)]
    pub(super) fn unix(folder: Option<&std::path::Path>, group: Option<&str>) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt;
        let mut builder = tempfile::Builder::new();
        // With no more than what the umask leaves, others could connect.
        builder
            .prefix("plugin-")
            .permissions(std::fs::Permissions::from_mode(0o700));
        // The variable that chose the folder, because the other one would change nothing.
        let (folder, variable) = match folder {
            Some(folder) => (builder.tempdir_in(folder)?, "PLUGIN_UNIX_SOCKET_DIR"),
            None => (builder.tempdir()?, "TMPDIR"),
        };
        let path = folder.path().join("socket");
        let of = |path: &std::path::Path, error: &io::Error, help: &str| {
            io::Error::new(error.kind(), format!("{}: {error}{help}", path.display()))
        };
        let listener = tokio::net::UnixListener::bind(&path).map_err(|error| {
            let help = format!("; name another folder with a short path in {variable}");
            of(&path, &error, &help)
        })?;
        if let Some(group) = group {
            const HELP: &str = "; set PLUGIN_UNIX_SOCKET_GROUP to a group of this user";
            for (path, mode) in [(folder.path(), 0o750), (path.as_path(), 0o660)] {
                share_with(group, path, mode).map_err(|error| of(path, &error, HELP))?;
            }
        }
        let address = Address {
            network: "unix",
            address: path.to_string_lossy().into_owned(),
        };
        Ok(Self::Unix {
            listener,
            address,
            _folder: folder,
        })
    }

    pub(super) fn address(&self) -> Address {
        match self {
            Self::Tcp(_, address) => address.clone(),
            #[cfg(unix)]
            Self::Unix { address, .. } => address.clone(),
        }
    }

    pub(super) async fn accept(&self) -> io::Result<Connection> {
        match self {
            Self::Tcp(listener, _) => {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok(Connection::Tcp(stream))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => listener
                .accept()
                .await
                .map(|(stream, _)| Connection::Unix(stream)),
        }
    }
}

/// Lets a group, by name or number, use a file.
#[cfg(unix)]
fn share_with(group: &str, path: &std::path::Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::{PermissionsExt, chown};
    let named = || {
        let groups = std::fs::read_to_string("/etc/group").ok()?;
        let line = groups
            .lines()
            .find(|line| line.split(':').next() == Some(group))?;
        line.split(':').nth(2)?.parse().ok()
    };
    let id = group.parse().ok().or_else(named);
    let id = id.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no group {group:?}"),
        )
    })?;
    chown(path, None, Some(id))?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// A connection of either kind.
#[derive(Debug)]
pub(super) enum Connection {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream),
}

/// Calls the same function on whatever stream it is.
macro_rules! either {
    ($connection:ident, $stream:ident => $call:expr) => {
        match $connection.get_mut() {
            Connection::Tcp($stream) => $call,
            #[cfg(unix)]
            Connection::Unix($stream) => $call,
        }
    };
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_read(context, buffer))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => Pin::new(stream).poll_shutdown(context))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => Pin::new(stream).poll_write_vectored(context, slices))
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Tcp(stream) => stream.is_write_vectored(),
            #[cfg(unix)]
            Self::Unix(stream) => stream.is_write_vectored(),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[tokio::test]
    async fn only_this_user_may_enter_the_folder_of_the_socket() {
        let listener = Listener::unix(None, None).unwrap();
        let address = listener.address();
        let folder = std::path::Path::new(&address.address).parent().unwrap();
        assert_eq!(
            std::fs::metadata(folder).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[tokio::test]
    async fn a_place_where_nothing_can_listen_is_named() {
        let folder = tempfile::tempdir().unwrap();
        // Longer than the path of a socket may be.
        let long = folder.path().join("a".repeat(120));
        std::fs::create_dir(&long).unwrap();
        let error = Listener::unix(Some(&long), None).unwrap_err().to_string();
        assert!(
            error.contains("/socket: ")
                && error
                    .ends_with("; name another folder with a short path in PLUGIN_UNIX_SOCKET_DIR"),
            "{error}"
        );
        let error = Listener::unix(Some(folder.path()), Some("no such group"));
        let error = error.unwrap_err().to_string();
        assert!(
            error.ends_with(
                ": there is no group \"no such group\"; set PLUGIN_UNIX_SOCKET_GROUP to a group of this user"
            ),
            "{error}"
        );

        let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = Listener::tcp((port, port)).unwrap_err().to_string();
        let expected = format!("no port from {port} to {port} is free: ");
        assert!(error.starts_with(&expected), "{error}");
    }
}
