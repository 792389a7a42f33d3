//! A bucket, served by the test: one that speaks S3, or the part of it in which Google's Cloud
//! Storage takes it.

use std::fs;
use std::net::SocketAddr;

use hyper::Request;
use hyper::header::{AUTHORIZATION, HeaderValue, IF_NONE_MATCH};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

const NAME: &str = "states";
const KEY: &str = "upstate";
const SECRET: &str = "upstate-secret";

/// The bucket. It ends, and what is in it with it, when this is dropped.
pub struct Bucket {
    folder: TempDir,
    address: SocketAddr,
    _runtime: Runtime,
}

impl Bucket {
    pub fn start() -> Self {
        Self::serve(Some(SimpleAuth::from_single(KEY, SECRET)))
    }

    /// One without keys, for clients of Google's.
    #[allow(dead_code, reason = "the tests of the stores do")]
    pub fn of_google() -> Self {
        Self::serve(None)
    }

    fn serve(keys: Option<SimpleAuth>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(NAME)).unwrap();
        let is_google = keys.is_none();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        if let Some(keys) = keys {
            service.set_auth(keys);
        }
        let service = service.build();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move {
            // It fails when the runtime ends; a loop that goes on then keeps the runtime from
            // ending.
            while let Ok((stream, _)) = listener.accept().await {
                let service = service.clone();
                let service = service_fn(move |mut request: Request<_>| {
                    // Its header for "only if there is no such object", and its tokens, are not
                    // those of S3.
                    if is_google {
                        request.headers_mut().remove(AUTHORIZATION);
                        if request
                            .headers_mut()
                            .remove("x-goog-if-generation-match")
                            .is_some()
                        {
                            request
                                .headers_mut()
                                .insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
                        }
                    }
                    hyper::service::Service::call(&service, request)
                });
                tokio::spawn(async move {
                    // A client that was killed leaves its connection behind.
                    let _ = hyper::server::conn::http1::Builder::new()
                        .serve_connection(TokioIo::new(stream), service)
                        .await;
                });
            }
        });
        Self {
            folder,
            address,
            _runtime: runtime,
        }
    }

    /// Its name, as the service is given it.
    pub fn address(&self) -> String {
        format!("s3://{NAME}")
    }

    /// The URL of its service.
    #[allow(dead_code, reason = "the tests of the stores do")]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Where it is and who may use it.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let endpoint = format!("http://{}", self.address);
        vec![
            ("AWS_ENDPOINT", endpoint),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "local".to_owned()),
            ("AWS_ACCESS_KEY_ID", KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
        ]
    }

    /// The objects in it.
    pub fn objects(&self) -> usize {
        fn files(folder: &std::path::Path) -> usize {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries
                .map(|entry| {
                    if entry.path().is_dir() {
                        files(&entry.path())
                    } else {
                        1
                    }
                })
                .sum()
        }
        files(&self.folder.path().join(NAME))
    }

    /// The bytes of all objects in it.
    #[allow(dead_code, reason = "the tests of the stores do")]
    pub fn contents(&self) -> Vec<u8> {
        fn files(folder: &std::path::Path) -> Vec<u8> {
            let entries = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path());
            entries
                .flat_map(|path| {
                    if path.is_dir() {
                        files(&path)
                    } else {
                        fs::read(path).unwrap_or_default()
                    }
                })
                .collect()
        }
        files(&self.folder.path().join(NAME))
    }

    /// Puts an object into it, as a program would that was killed before it did anything else.
    #[allow(dead_code, reason = "the tests of the stores do")]
    pub fn put(&self, key: &str, bytes: &[u8]) {
        let path = self.folder.path().join(NAME).join(key);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Makes an object so much older.
    #[allow(dead_code, reason = "the tests of the commands do")]
    pub fn age(&self, key: &str, by: std::time::Duration) {
        let file = fs::File::options()
            .write(true)
            .open(self.folder.path().join(NAME).join(key))
            .unwrap();
        file.set_modified(std::time::SystemTime::now() - by)
            .unwrap();
    }

    /// Destroys what is in it, but for what says whose it is.
    #[allow(dead_code, reason = "the tests of the stores do")]
    pub fn lose_all(&self) {
        fs::remove_dir_all(self.folder.path().join(NAME).join("blob")).unwrap();
    }
}
