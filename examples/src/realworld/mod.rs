//! Resources of public providers with their real upgrade histories, one folder or file a provider.
//!
//! Each model holds the attributes its upgrades touch and a few beside them. Read one of these first:
//!
//! - [`digitalocean`]: a straight `From`, two attributes that trade places.
//! - [`aws::Instance`]: a chain, each model naming its predecessor only.
//! - [`snowflake::Schema`]: direct edges, every prior model converting to the current one.
//! - [`kubernetes`]: a change five blocks deep, with paths on its errors.
//! - [`elasticstack::Slo`]: `with`, and an upgrade that warns.

#![allow(missing_docs, reason = "the providers document their own attributes")]

mod blocks;

pub mod aiven;
pub mod aws;
pub mod azuread;
pub mod azurerm;
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
