//! `ferry-operator control` is the controller; `crd`, `serve` and `migrate-storage` are those of every program with custom resources.

use std::process::ExitCode;

use ferry::{BoatSpec, control};
use kube::Client;
use upstate_kube::program::Program;

#[tokio::main]
async fn main() -> ExitCode {
    if std::env::args_os()
        .nth(1)
        .is_none_or(|command| command != "control")
    {
        return Program::new()
            .with::<BoatSpec>()
            .run(std::env::args_os())
            .await;
    }
    match Client::try_default().await {
        Ok(client) => {
            control(client).await;
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: the cluster is not known: {error}");
            ExitCode::FAILURE
        }
    }
}
