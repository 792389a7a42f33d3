//! Every route, once: the router, the `OpenAPI` document and the test of who may do what are made
//! from this table.

use std::sync::Arc;

use axum::routing::{MethodRouter, any, delete, get, patch, post, put};

use super::{
    App, accounts, admin, http_backend, jobs, meta, oauth, objects, openapi, outputs, places,
    schemas, state_versions, trusts, workspaces,
};

/// The principals that may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Needs {
    /// Anybody.
    Nothing,
    /// A signed URL.
    Signature,
    /// Something in the body that is worth a token.
    Grant,
    /// Any token.
    Token,
    /// A token with any permission in the workspace or project of the path; in the organization if
    /// there is none, or in a part of it.
    Member,
    /// `read-state`.
    ReadState,
    /// `read-outputs`, or `read-state`.
    ReadOutputs,
    /// `write-state`.
    WriteState,
    /// `read-state` and `write-state`.
    ReadAndWriteState,
    /// `lock`.
    Lock,
    /// `force-unlock`.
    ForceUnlock,
    /// `admin`.
    Admin,
    /// `admin` and `read-state`.
    AdminAndReadState,
}

/// A route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The method.
    pub method: &'static str,
    /// The path, with parameters in braces.
    pub path: &'static str,
    /// The principals that may use it.
    pub needs: Needs,
    /// Its effect.
    pub summary: &'static str,
}

type Handler = MethodRouter<Arc<App>>;

macro_rules! routes {
    ($($method:literal $path:literal $needs:ident $summary:literal => $handler:expr;)*) => {
        /// Every route, in the order of the documentation.
        pub const ROUTES: &[Route] = &[$(Route { method: $method, path: $path, needs: Needs::$needs, summary: $summary }),*];

        pub(super) fn handlers() -> Vec<(Route, Handler)> {
            let handlers: Vec<Handler> = vec![$($handler),*];
            ROUTES.iter().copied().zip(handlers).collect()
        }
    };
}

routes! {
    "POST" "/api/v2/workspaces/{workspace_id}/state-versions" ReadAndWriteState
        "Create a state version; without `state` it waits for its bytes" => post(state_versions::create);
    "PATCH" "/api/v2/workspaces/{workspace_id}/state-versions" ReadAndWriteState
        "Roll back to an earlier state version, by a new one" => patch(state_versions::rollback);
    "GET" "/api/v2/state-versions" ReadState
        "List the state versions of a workspace, newest first" => get(state_versions::list);
    "GET" "/api/v2/state-versions/{state_version_id}" ReadState
        "Show a state version" => get(state_versions::show);
    "GET" "/api/v2/workspaces/{workspace_id}/current-state-version" ReadState
        "Show the current state version; 404 only if there is no state" => get(state_versions::current);
    "GET" "/api/v2/state-versions/{state_version_id}/outputs" ReadOutputs
        "List the outputs of a state version, sensitive values hidden" => get(outputs::of_version);
    "GET" "/api/v2/workspaces/{workspace_id}/current-state-version-outputs" ReadOutputs
        "List the current outputs of a workspace, sensitive values hidden" => get(outputs::current);
    "GET" "/api/v2/state-version-outputs/{output_id}" ReadOutputs
        "Show an output with its value" => get(outputs::show);
    "POST" "/api/v2/state-versions/{state_version_id}/actions/soft_delete_backing_data" Admin
        "Hide the bytes of an old state version" => post(state_versions::soft_delete);
    "POST" "/api/v2/state-versions/{state_version_id}/actions/restore_backing_data" Admin
        "Show the hidden bytes of a state version again" => post(state_versions::restore);
    "POST" "/api/v2/state-versions/{state_version_id}/actions/permanently_delete_backing_data" Admin
        "Destroy the hidden bytes of a state version" => post(state_versions::permanently_delete);
    "PUT" "/objects/state-versions/{state_version_id}/{content}" Signature
        "Upload the state or the JSON state of a pending state version" => put(objects::upload);
    "GET" "/objects/state-versions/{state_version_id}/{content}" Signature
        "Download the state or the JSON state of a state version" => get(objects::download);
    "POST" "/api/v2/workspaces/{workspace_id}/actions/lock" Lock
        "Lock a workspace" => post(workspaces::lock);
    "POST" "/api/v2/workspaces/{workspace_id}/actions/unlock" Lock
        "Unlock a workspace" => post(workspaces::unlock);
    "POST" "/api/v2/workspaces/{workspace_id}/actions/force-unlock" ForceUnlock
        "Take the lock of a workspace away; a pending state version is discarded" => post(workspaces::force_unlock);
    "GET" "/api/v2/organizations/{organization}/workspaces" Member
        "List the workspaces of an organization" => get(workspaces::list);
    "POST" "/api/v2/organizations/{organization}/workspaces" WriteState
        "Make a workspace" => post(workspaces::create);
    "GET" "/api/v2/organizations/{organization}/workspaces/{workspace}" Member
        "Show a workspace by name" => get(workspaces::by_name);
    "PATCH" "/api/v2/organizations/{organization}/workspaces/{workspace}" WriteState
        "Change a workspace by name; a new name needs `admin`" => patch(workspaces::update_by_name);
    "DELETE" "/api/v2/organizations/{organization}/workspaces/{workspace}" Admin
        "Delete a workspace by name" => delete(workspaces::delete_by_name);
    "POST" "/api/v2/organizations/{organization}/workspaces/{workspace}/actions/safe-delete" Admin
        "Delete a workspace by name, unless it manages resources" => post(workspaces::safe_delete_by_name);
    "GET" "/api/v2/workspaces/{workspace_id}" Member
        "Show a workspace" => get(workspaces::by_id);
    "PATCH" "/api/v2/workspaces/{workspace_id}" WriteState
        "Change a workspace; a new name needs `admin`" => patch(workspaces::update);
    "DELETE" "/api/v2/workspaces/{workspace_id}" Admin
        "Delete a workspace" => delete(workspaces::delete);
    "POST" "/api/v2/workspaces/{workspace_id}/actions/safe-delete" Admin
        "Delete a workspace, unless it manages resources" => post(workspaces::safe_delete);
    "GET" "/api/v2/workspaces/{workspace_id}/tag-bindings" Member
        "List the tags of a workspace with their values" => get(workspaces::tag_bindings);
    "PATCH" "/api/v2/workspaces/{workspace_id}/tag-bindings" WriteState
        "Add tags with values to a workspace" => patch(workspaces::add_tag_bindings);
    "GET" "/api/v2/workspaces/{workspace_id}/effective-tag-bindings" Member
        "List the tags of a workspace with their values" => get(workspaces::effective_tag_bindings);
    "GET" "/api/v2/workspaces/{workspace_id}/relationships/tags" Member
        "List the plain tags of a workspace" => get(workspaces::tags);
    "POST" "/api/v2/workspaces/{workspace_id}/relationships/tags" WriteState
        "Add plain tags to a workspace" => post(workspaces::add_tags);
    "DELETE" "/api/v2/workspaces/{workspace_id}/relationships/tags" WriteState
        "Remove tags from a workspace" => delete(workspaces::remove_tags);
    "GET" "/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers" Member
        "List the workspaces that may read the state of a workspace" => get(workspaces::consumers);
    "POST" "/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers" Admin
        "Let workspaces read the state of a workspace" => post(workspaces::add_consumers);
    "PATCH" "/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers" Admin
        "Let these workspaces read the state of a workspace, and no others" => patch(workspaces::set_consumers);
    "DELETE" "/api/v2/workspaces/{workspace_id}/relationships/remote-state-consumers" Admin
        "Let workspaces read the state of a workspace no more" => delete(workspaces::remove_consumers);
    "GET" "/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy" Member
        "Show how long a workspace keeps its versions, if it has its own days" => get(workspaces::retention);
    "POST" "/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy" Admin
        "Set how long a workspace keeps its versions" => post(workspaces::set_retention);
    "PATCH" "/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy" Admin
        "Set how long a workspace keeps its versions" => patch(workspaces::set_retention);
    "DELETE" "/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy" Admin
        "Keep the versions of a workspace for as long as the server says" => delete(workspaces::remove_retention);
    "GET" "/api/v2/workspaces/{workspace_id}/quarantine" Admin
        "List late uploads that were kept aside" => get(admin::quarantine);
    "GET" "/api/v2/quarantine/{quarantine_id}/download" AdminAndReadState
        "Download a late upload" => get(admin::quarantined);
    "GET" "/api/v2/ping" Nothing
        "Say which version of the API is served" => get(meta::ping);
    "GET" "/api/v2/openapi.json" Nothing
        "This document" => get(openapi::show);
    "GET" "/api/v2/account/details" Token
        "Show the account of the token" => get(accounts::account);
    "GET" "/api/v2/users/{user_id}" Member
        "Show a user" => get(accounts::user);
    "GET" "/api/v2/runs/{run_id}" ReadState
        "Show a run that a state version names" => get(accounts::run);
    "GET" "/api/v2/runs/{run_id}/created-by" ReadState
        "Show who wrote the state of a run" => get(accounts::run_creator);
    "GET" "/api/v2/organizations" Token
        "List the organizations that the token may see" => get(accounts::organizations);
    "GET" "/api/v2/organizations/{organization}" Member
        "Show an organization" => get(accounts::organization);
    "GET" "/api/v2/organizations/{organization}/entitlement-set" Member
        "Show what the server can do for an organization" => get(accounts::entitlements);
    "GET" "/api/v2/organizations/{organization}/projects" Member
        "List the projects of an organization in which the token has a permission" => get(places::projects);
    "POST" "/api/v2/organizations/{organization}/projects" Admin
        "Make a project" => post(places::create_project);
    "GET" "/api/v2/projects/{project_id}" Member
        "Show a project" => get(places::show_project);
    "PATCH" "/api/v2/projects/{project_id}" Admin
        "Change the name and the description of a project" => patch(places::update_project);
    "DELETE" "/api/v2/projects/{project_id}" Admin
        "Delete a project without workspaces; needs `admin` in the whole organization" => delete(places::remove_project);
    "GET" "/api/v2/team-projects" Admin
        "List what teams may do in a project" => get(places::team_projects);
    "POST" "/api/v2/team-projects" Admin
        "Let a team do something in a project and its workspaces" => post(places::create_team_project);
    "GET" "/api/v2/team-projects/{team_project_id}" Admin
        "Show what a team may do in a project" => get(places::team_project);
    "PATCH" "/api/v2/team-projects/{team_project_id}" Admin
        "Change what a team may do in a project" => patch(places::update_team_project);
    "DELETE" "/api/v2/team-projects/{team_project_id}" Admin
        "Take away what a team may do in a project" => delete(places::remove_team_project);
    "GET" "/api/v2/team-workspaces" Admin
        "List what teams may do in a workspace" => get(places::team_workspaces);
    "POST" "/api/v2/team-workspaces" Admin
        "Let a team do something in a workspace" => post(places::create_team_workspace);
    "GET" "/api/v2/team-workspaces/{team_workspace_id}" Admin
        "Show what a team may do in a workspace" => get(places::team_workspace);
    "PATCH" "/api/v2/team-workspaces/{team_workspace_id}" Admin
        "Change what a team may do in a workspace" => patch(places::update_team_workspace);
    "DELETE" "/api/v2/team-workspaces/{team_workspace_id}" Admin
        "Take away what a team may do in a workspace" => delete(places::remove_team_workspace);
    "GET" "/api/v2/organizations/{organization}/users" Admin
        "List the users that have a token or a team in an organization" => get(places::users);
    "DELETE" "/api/v2/organizations/{organization}/users/{user_id}" Admin
        "Take a user out of an organization, with every token and team there" => delete(places::remove_user);
    "GET" "/api/v2/organizations/{organization}/audit" Admin
        "List the audit log of an organization, newest first" => get(admin::audit);
    "GET" "/api/v2/organizations/{organization}/audit/lines" Admin
        "Export the audit log of an organization as lines of JSON, oldest first" => get(admin::audit_lines);
    "GET" "/api/v2/organizations/{organization}/teams" Admin
        "List the teams of an organization" => get(admin::teams);
    "POST" "/api/v2/organizations/{organization}/teams" Admin
        "Make a team" => post(admin::create_team);
    "GET" "/api/v2/teams/{team_id}" Admin
        "Show a team" => get(admin::show_team);
    "DELETE" "/api/v2/teams/{team_id}" Admin
        "Delete a team and its tokens" => delete(admin::remove_team);
    "GET" "/api/v2/teams/{team_id}/relationships/users" Admin
        "List the members of a team" => get(admin::members);
    "PATCH" "/api/v2/teams/{team_id}" Admin
        "Change what the members of a team may do" => patch(admin::update_team);
    "POST" "/api/v2/teams/{team_id}/relationships/users" Admin
        "Add members to a team" => post(admin::add_members);
    "DELETE" "/api/v2/teams/{team_id}/relationships/users" Admin
        "Remove members from a team" => delete(admin::remove_members);
    "GET" "/api/v2/organizations/{organization}/tokens" Admin
        "List the tokens of an organization, without their secrets" => get(admin::tokens);
    "POST" "/api/v2/organizations/{organization}/tokens" Admin
        "Make a token and show it, this once" => post(admin::create_token);
    "DELETE" "/api/v2/tokens/{token_id}" Admin
        "Revoke a token" => delete(admin::remove_token);
    "POST" "/api/v2/teams/{team_id}/authentication-tokens" Admin
        "Make a token of a team and show it, this once" => post(admin::create_team_token);
    "GET" "/api/v2/organizations/{organization}/team-tokens" Admin
        "List the tokens of teams, without their secrets" => get(admin::team_tokens);
    "GET" "/api/v2/authentication-tokens/{token_id}" Admin
        "Show a token, without its secret" => get(admin::show_token);
    "DELETE" "/api/v2/authentication-tokens/{token_id}" Admin
        "Revoke a token" => delete(admin::remove_token);
    "GET" "/api/v2/upstate/organizations/{organization}/trusts" Admin
        "List which jobs of CI systems get tokens" => get(trusts::list);
    "POST" "/api/v2/upstate/organizations/{organization}/trusts" Admin
        "Let jobs of a CI system get tokens, for a project or a workspace" => post(trusts::create);
    "GET" "/api/v2/upstate/trusts/{trust_id}" Admin
        "Show which jobs get tokens by a trust" => get(trusts::show);
    "DELETE" "/api/v2/upstate/trusts/{trust_id}" Admin
        "Delete a trust, and the tokens that jobs got by it" => delete(trusts::remove);
    "POST" "/oauth/token" Grant
        "Exchange the ID token of a job (RFC 8693), or the code of `terraform login`, for a token" => post(oauth::token);
    "GET" "/api/v2/upstate/releases" Token
        "List the releases that the lock of the server knows, with the schema versions that they had" => get(schemas::releases);
    "GET" "/api/v2/upstate/types/{type_name}/route" Token
        "Show each attribute of a resource type through the schema versions: kept, moved, converted, split, merged, dropped or new" => get(schemas::route);
    "GET" "/api/v2/upstate/organizations/{organization}/inventory" ReadState
        "Count the types that an organization stores, by schema version, and which of them are behind" => get(schemas::of_organization);
    "GET" "/api/v2/upstate/organizations/{organization}/workspaces" ReadState
        "List the workspaces of an organization with the types that they store, and the outcome of the newest job or plan for each" => get(schemas::workspaces);
    "GET" "/api/v2/upstate/organizations/{organization}/day" ReadState
        "Count what happened in the last day by half hours: versions applied, upgraded, failed by jobs, undone, and locks" => get(schemas::day);
    "GET" "/api/v2/upstate/organizations/{organization}/days" ReadState
        "Count the same in the last 14 days, by days" => get(schemas::days);
    "GET" "/api/v2/upstate/organizations/{organization}/drift" ReadState
        "List what the release of the server's registry changes for what an organization stores" => get(schemas::drift);
    "GET" "/api/v2/upstate/organizations/{organization}/plan" ReadState
        "Show what a job over all workspaces of an organization would do, workspace by workspace, in counts" => get(schemas::organization_plan);
    "POST" "/api/v2/upstate/organizations/{organization}/plans" ReadState
        "Plan a job: look at each workspace, write nothing, and keep what would change" => post(jobs::create_plan);
    "GET" "/api/v2/upstate/plans/{plan_id}" ReadState
        "Show a plan that is kept: sums by outcome, type, loss, warning and cause of failure" => get(jobs::show_plan);
    "GET" "/api/v2/upstate/organizations/{organization}/search" ReadState
        "Find instances by type, address, or a value that is not sensitive" => get(schemas::search);
    "GET" "/api/v2/upstate/workspaces/{workspace_id}/inventory" ReadState
        "Count the types that a workspace stores, by schema version, and which of them are behind" => get(schemas::of_workspace);
    "POST" "/api/v2/upstate/workspaces/{workspace_id}/actions/upgrade" ReadAndWriteState
        "Upgrade the current state version, by a new one" => post(schemas::upgrade);
    "POST" "/api/v2/upstate/workspaces/{workspace_id}/actions/downgrade" ReadAndWriteState
        "Take the current state version back to what a release stores, by a new one" => post(schemas::downgrade);
    "GET" "/api/v2/upstate/state-versions/{state_version_id}/plan" ReadState
        "Show what the upgrade of a state version would change, or its downgrade, sensitive values hidden" => get(schemas::plan);
    "GET" "/api/v2/upstate/state-versions/{state_version_id}/report" ReadState
        "Show the outcome of the upgrade or downgrade that made a state version" => get(schemas::report);
    "GET" "/api/v2/upstate/state-versions/{state_version_id}/comparison" ReadState
        "Compare a state version with another one, or with the one before it, sensitive values hidden" => get(schemas::compare);
    "GET" "/api/v2/upstate/organizations/{organization}/jobs" ReadState
        "List the jobs of an organization, newest first" => get(jobs::list);
    "POST" "/api/v2/upstate/organizations/{organization}/jobs" ReadAndWriteState
        "Upgrade many workspaces, or take them back to a release: those of a plan, those that are named, or all that it concerns" => post(jobs::create);
    "GET" "/api/v2/upstate/jobs/{job_id}" ReadState
        "Show a job and how far it is" => get(jobs::show);
    "GET" "/api/v2/upstate/jobs/{job_id}/report" ReadState
        "Sum up what a job changed, dropped and warned of" => get(jobs::report);
    "GET" "/api/v2/upstate/jobs/{job_id}/pace" ReadState
        "Count the workspaces of a job that ended and failed in each step of its time" => get(jobs::pace);
    "GET" "/api/v2/upstate/jobs/{job_id}/workspaces" ReadState
        "List the workspaces of a job with the outcome of each" => get(jobs::workspaces);
    "POST" "/api/v2/upstate/jobs/{job_id}/actions/stop" ReadAndWriteState
        "Stop a job after the workspaces that are being upgraded" => post(jobs::stop);
    "POST" "/api/v2/upstate/jobs/{job_id}/actions/resume" ReadAndWriteState
        "Let a stopped job go on, failed workspaces among those that wait" => post(jobs::resume);
    "POST" "/api/v2/upstate/jobs/{job_id}/actions/undo" ReadAndWriteState
        "Make a job that undoes another one, in each workspace whose current version is still that job's" => post(jobs::undo);
    "ANY" "/http/{organization}/{workspace}" ReadState
        "backend \"http\": GET the state, POST a new one, LOCK, UNLOCK" => any(http_backend::state);
    "ANY" "/http/{organization}/{workspace}/lock" Lock
        "backend \"http\" in GitLab's style: POST locks, DELETE unlocks" => any(http_backend::lock);
    "GET" "/.well-known/terraform.json" Nothing
        "Say where Terraform finds the API of this host" => get(meta::discovery);
    "GET" "/healthz" Nothing
        "Say that the process runs" => get(meta::healthy);
    "GET" "/readyz" Nothing
        "Say whether the store can be written" => get(meta::ready);
    "GET" "/metrics" Token
        "Numbers in the format of Prometheus" => get(meta::metrics);
}
