//! Resources of public providers with their real upgrade histories, one folder or file a provider.
//!
//! Each model holds the attributes its upgrades touch and a few beside them. Read one of these first:
//!
//! - [`digitalocean`]: two attributes that trade places: everything is read from the prior state.
//! - [`aws::Instance`]: a chain, each model naming its predecessor only.
//! - [`snowflake::Schema`]: direct upgraders, every prior model leading to the current one.
//! - [`kubernetes`]: a change five blocks deep, with paths on its errors.
//! - [`elasticstack::Slo`]: an upgrade that warns.
//! - [`linode`]: plain Rust through `TryFrom`, where operators can't say it.
//! - [`github::BranchDefault`]: asks the API, in an `async fn`; [`google::Project`] only where it has to.

#![allow(missing_docs, reason = "the providers document their own attributes")]

mod blocks;

pub mod aiven;
pub mod aws;
pub mod azuread;
pub mod azurerm;
pub mod cloudflare;
pub mod consul;
pub mod databricks;
pub mod digitalocean;
pub mod docker;
pub mod elasticstack;
pub mod github;
pub mod google;
pub mod grafana;
pub mod kubernetes;
pub mod launchdarkly;
pub mod linode;
pub mod mongodbatlas;
pub mod newrelic;
pub mod rancher2;
pub mod scaleway;
pub mod scalr;
pub mod snowflake;
pub mod tfe;
pub mod vault;
