//! A balancer before several processes of the service: one address, behind it whichever of them
//! takes a connection.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// It ends with the test.
pub struct Balancer {
    address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl Balancer {
    /// Listens for `behind`, which take turns; those that don't listen are passed over. Its own
    /// address is known before theirs.
    pub fn on(listener: TcpListener, behind: Vec<SocketAddr>) -> Self {
        let address = listener.local_addr().unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&over);
        let turn = AtomicUsize::new(0);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::Relaxed) {
                    return;
                }
                let first = turn.fetch_add(1, Ordering::Relaxed);
                let mut candidates =
                    (first..first + behind.len()).map(|place| behind[place % behind.len()]);
                let server = candidates.find_map(|address| {
                    TcpStream::connect_timeout(&address, Duration::from_secs(5)).ok()
                });
                // Without any, the client's connection is closed.
                if let Some(server) = server {
                    pass_on(&client, &server);
                    pass_on(&server, &client);
                }
            }
        });
        Self { address, over }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

fn pass_on(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        // One of them ended: the other one learns of it at once.
        let _ = to.shutdown(Shutdown::Write);
        let _ = from.shutdown(Shutdown::Read);
    });
}
