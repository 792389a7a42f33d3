//! One thread serves, and runs the calls that have been quick so far. If one of them takes longer,
//! another thread serves on.
//!
//! Giving a call to another thread and waking the first when it is done costs more than most calls.
//! So the thread that serves, the lead, leaves the runtime for a moment to make a call itself. What
//! cannot be known beforehand is that this call blocks, for the first time. A second thread, the
//! standby, looks every few milliseconds whether the lead is still in the same call, and if so
//! becomes the lead. The runtime is nobody's while a call runs, so nothing else has to happen.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{mpsc, oneshot};

/// The greatest time of a quick call.
const QUICK: Duration = Duration::from_millis(1);

/// The number of quick calls of a kind, one after the other, before the lead makes them.
const TRUSTED: u8 = 8;

/// One of so many calls that the lead makes is timed, because two looks at the clock are a seventieth
/// of what such a call takes, and the standby sees each that takes several milliseconds.
const TIMED: u8 = 16;

/// The interval at which the standby looks.
const LOOKS: Duration = Duration::from_millis(5);

/// After so many looks without a call, the standby sleeps until the next call.
const PATIENCE: u32 = 100;

/// The record of calls of one kind: one function of one type.
#[derive(Debug)]
pub(super) struct Pace {
    /// The number of quick calls before it is trusted.
    untrusted: AtomicU8,
    /// The calls since it was trusted, from 0 again after 255.
    trusted: AtomicU8,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            untrusted: AtomicU8::new(TRUSTED),
            trusted: AtomicU8::new(0),
        }
    }
}

impl Pace {
    pub(super) fn is_quick(&self) -> bool {
        self.untrusted.load(SeqCst) == 0
    }

    /// When a call begins, if it is timed.
    fn begins(&self) -> Option<Instant> {
        let timed = !self.is_quick() || self.trusted.fetch_add(1, SeqCst).is_multiple_of(TIMED);
        timed.then(Instant::now)
    }

    /// Learns from a call that `began` then, and awaited nothing if it is `ready`.
    fn made(&self, ready: bool, began: Option<Instant>) {
        match began {
            Some(began) => self.learn(ready && began.elapsed() < QUICK),
            None if ready => {}
            None => self.learn(false),
        }
    }

    fn learn(&self, quick: bool) {
        if quick {
            // Two that learn at once may count as one.
            self.untrusted
                .store(self.untrusted.load(SeqCst).saturating_sub(1), SeqCst);
        } else {
            self.untrusted.store(TRUSTED, SeqCst);
        }
    }
}

/// Says what became of a call; run where the runtime is.
type Deliver = Box<dyn FnOnce() + Send>;

/// A call that the lead is to make, and the pace of its kind.
pub(crate) struct Call {
    pace: Arc<Pace>,
    make: Box<dyn FnOnce() -> Deliver + Send>,
}

/// The outcome of a call: its answer or its panic.
pub(super) type Made<T> = oneshot::Receiver<thread::Result<T>>;

/// Makes a call of an author's code to its end on this thread.
pub(super) fn make<T>(
    authors: &Handle,
    pace: Option<&Pace>,
    call: impl Future<Output = T>,
) -> thread::Result<T> {
    let mut call = std::pin::pin!(call);
    catch_unwind(AssertUnwindSafe(|| {
        authors.block_on(async {
            let began = pace.and_then(Pace::begins);
            let first =
                std::future::poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;
            if let Some(pace) = pace {
                pace.made(first.is_ready(), began);
            }
            match first {
                Poll::Ready(answer) => answer,
                Poll::Pending => call.await,
            }
        })
    }))
}

impl Call {
    /// A call that goes on with `go_on` if it awaits something, or if it is not trusted any more
    /// when its turn comes.
    pub(super) fn new<T, Calling>(
        authors: Handle,
        pace: Arc<Pace>,
        call: Calling,
        go_on: impl FnOnce(Pin<Box<Calling>>, oneshot::Sender<thread::Result<T>>) + Send + 'static,
    ) -> (Self, Made<T>)
    where
        T: Send + 'static,
        Calling: Future<Output = T> + Send + 'static,
    {
        let (to, answer) = oneshot::channel();
        let learner = Arc::clone(&pace);
        let make = move || -> Deliver {
            let mut call = Box::pin(call);
            if !learner.is_quick() {
                return Box::new(move || go_on(call, to));
            }
            let began = learner.begins();
            let first = catch_unwind(AssertUnwindSafe(|| {
                authors.block_on(std::future::poll_fn(|context| {
                    Poll::Ready(call.as_mut().poll(context))
                }))
            }));
            learner.made(matches!(first, Ok(Poll::Ready(_))), began);
            let result = match first {
                Ok(Poll::Ready(answer)) => Ok(answer),
                Ok(Poll::Pending) => return Box::new(move || go_on(call, to)),
                Err(panic) => Err(panic),
            };
            Box::new(move || drop(to.send(result)))
        };
        (
            Self {
                pace,
                make: Box::new(make),
            },
            answer,
        )
    }
}

/// The answer of a call. A panic in it goes on here.
pub(super) async fn answer<T>(made: Made<T>) -> T {
    match made.await {
        Ok(Ok(answer)) => answer,
        Ok(Err(panic)) => resume_unwind(panic),
        // The call was dropped because the process ends, so there will be no answer.
        Err(_) => std::future::pending().await,
    }
}

/// The state that both threads share.
struct Lead {
    runtime: Runtime,
    calls: tokio::sync::Mutex<mpsc::UnboundedReceiver<Call>>,
    /// The number of the call that the lead makes; 0 while it serves.
    making: AtomicU64,
    made: AtomicU64,
    /// The pace of the call that the lead makes.
    pace: Mutex<Option<Arc<Pace>>>,
    standby: Mutex<Option<Thread>>,
    is_asleep: AtomicBool,
    has_ended: AtomicBool,
}

/// Serves as long as it lives.
#[derive(Debug)]
pub(crate) struct Serving {
    runtime: Handle,
    calls: mpsc::UnboundedSender<Call>,
}

impl Serving {
    /// Starts the two threads.
    ///
    /// # Errors
    /// The system has no threads for it.
    pub(crate) fn start() -> io::Result<Self> {
        let (sender, calls) = mpsc::unbounded_channel();
        let lead = Arc::new(Lead {
            runtime: Builder::new_current_thread().enable_all().build()?,
            calls: calls.into(),
            making: AtomicU64::new(0),
            made: AtomicU64::new(0),
            pace: Mutex::new(None),
            standby: Mutex::new(None),
            is_asleep: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        });
        let runtime = lead.runtime.handle().clone();
        lead.watch()?;
        thread::Builder::new()
            .name("serve".to_owned())
            .spawn(move || lead.serve())?;
        Ok(Self {
            runtime,
            calls: sender,
        })
    }

    /// The address on which it serves.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The channel of calls that the lead makes. It serves until the last of these is gone.
    pub(crate) fn calls(&self) -> mpsc::WeakUnboundedSender<Call> {
        self.calls.downgrade()
    }
}

impl Lead {
    /// Serves until the server ends or another thread becomes the lead.
    fn serve(self: Arc<Self>) {
        let mut deliver: Option<Deliver> = None;
        loop {
            let next = self.runtime.block_on(async {
                if let Some(deliver) = deliver.take() {
                    deliver();
                }
                self.calls.lock().await.recv().await
            });
            let Some(Call { pace, make }) = next else {
                break;
            };
            *self.pace.lock().unwrap_or_else(PoisonError::into_inner) = Some(pace);
            let number = self.made.fetch_add(1, SeqCst) + 1;
            self.making.store(number, SeqCst);
            if self.is_asleep.swap(false, SeqCst) {
                self.wake();
            }
            let made = make();
            if self
                .making
                .compare_exchange(number, 0, SeqCst, SeqCst)
                .is_err()
            {
                // The standby has become the lead, so this thread delivers the answer and ends.
                let _inside = self.runtime.enter();
                made();
                return;
            }
            deliver = Some(made);
        }
        self.has_ended.store(true, SeqCst);
        self.wake();
    }

    fn wake(&self) {
        if let Some(standby) = &*self.standby.lock().unwrap_or_else(PoisonError::into_inner) {
            standby.unpark();
        }
    }

    /// Starts a standby.
    fn watch(self: &Arc<Self>) -> io::Result<()> {
        let lead = Arc::clone(self);
        let standby = thread::Builder::new()
            .name("standby".to_owned())
            .spawn(move || lead.stand_by())?;
        *self.standby.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(standby.thread().clone());
        Ok(())
    }

    /// Becomes the lead if the lead does not come back from a call.
    fn stand_by(self: Arc<Self>) {
        let (mut seen, mut in_vain) = (0, 0);
        while !self.has_ended.load(SeqCst) {
            let making = self.making.load(SeqCst);
            let made = self.made.load(SeqCst);
            in_vain = if made == seen && making == 0 {
                in_vain + 1
            } else {
                0
            };
            seen = made;
            if in_vain > PATIENCE {
                self.is_asleep.store(true, SeqCst);
                if self.making.load(SeqCst) == 0 && !self.has_ended.load(SeqCst) {
                    thread::park();
                }
                self.is_asleep.store(false, SeqCst);
                in_vain = 0;
                continue;
            }
            thread::park_timeout(LOOKS);
            if making == 0 || self.making.load(SeqCst) != making {
                continue;
            }
            // The one that takes its place as standby comes first: without it, a call that blocks
            // would block everything.
            if self.watch().is_err() {
                continue;
            }
            if let Some(pace) = &*self.pace.lock().unwrap_or_else(PoisonError::into_inner) {
                pace.learn(false);
            }
            if self
                .making
                .compare_exchange(making, 0, SeqCst, SeqCst)
                .is_ok()
            {
                self.serve();
            }
            return;
        }
    }
}
