//! The webhook that Kubernetes asks for conversions: a router for a server of your own, or a whole
//! server with TLS.
//!
//! ```no_run
//! # use upstate::Document;
//! # use upstate_kube::{Converter, webhook};
//! # #[derive(Debug, Document)]
//! # #[document(type_name = "ferry.boat", version = 0)]
//! # #[kube(group = "ferry.example.com", kind = "Boat", version(0 = "v1", storage))]
//! # struct Boat { name: String }
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let converter = Converter::new().with::<Boat>()?;
//! webhook::serve(converter, "0.0.0.0:8443", "/tls/tls.crt", "/tls/tls.key").await?;
//! # Ok(())
//! # }
//! ```
//!
//! | path | answer |
//! |---|---|
//! | `POST /convert` | the answer to a `ConversionReview` |
//! | `GET /healthz`, `GET /readyz` | `ok` |
//! | `GET /metrics` | counters for Prometheus |

mod connections;
mod metrics;
mod router;
mod tls;

pub use connections::{ServeError, Server, serve};
pub use router::router;
