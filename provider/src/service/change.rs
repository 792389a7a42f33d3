//! Reading, planning and applying.

use upstate::codec::Encoding;
use upstate::{Diagnostic, Diagnostics, Value};

use super::state::identity_to_wire;
use super::{Known, Service};
use crate::diagnostics;
use crate::erased::{Call, Outcome, PlanOutcome, Work, drafted};
use crate::plan::{self, Draft, Plan};
use crate::proto::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, PlanResourceChangeRequest,
    PlanResourceChangeResponse, ReadResourceRequest, ReadResourceResponse, ResourceIdentityData,
};
use crate::wire::diagnostics::{path_to_wire, to_wire};
use crate::wire::value::{self, from_wire, msgpack_to_wire};

impl Service {
    pub(crate) async fn read(&self, request: ReadResourceRequest) -> ReadResourceResponse {
        let (service, owned) = (self.clone(), request.clone());
        let outcome = self
            .or_stopped(
                "a read",
                self.pace(&request.type_name, |it| &it.read),
                async move { service.try_read(&owned).await },
            )
            .await;
        match outcome {
            Ok(outcome) if outcome.settled => ReadResourceResponse {
                new_state: Some(outcome.state.map_or_else(value::null, msgpack_to_wire)),
                diagnostics: to_wire(outcome.diagnostics),
                private: outcome.private.to_wire(),
                new_identity: outcome
                    .identity
                    .map(identity_to_wire)
                    .or(request.current_identity),
            },
            Ok(Outcome { diagnostics, .. }) | Err(diagnostics) => ReadResourceResponse {
                diagnostics: to_wire(diagnostics),
                new_state: request.current_state,
                private: request.private,
                new_identity: request.current_identity,
            },
        }
    }

    async fn try_read(&self, request: &ReadResourceRequest) -> Result<Outcome, Diagnostics> {
        let known = self.resource(&request.type_name)?;
        let state = from_wire(request.current_state.as_ref(), known.ty, "current state")?;
        let sent = request
            .current_state
            .as_ref()
            .map(|sent| sent.msgpack.clone())
            .unwrap_or_default();
        let call = self.call_of_module(&request.private, request.provider_meta.as_ref())?;
        if state.is_null() {
            return Ok(Outcome {
                settled: true,
                private: call.private,
                ..Outcome::default()
            });
        }
        let mut outcome = known
            .resource
            .run(Work::Read { state, sent }, known.ty, call)
            .await;
        if let Some(changed) =
            other_identity(known, request.current_identity.as_ref(), &outcome, "read")
        {
            outcome.settled = false;
            outcome.diagnostics.push(changed);
        }
        Ok(outcome)
    }

    pub(crate) async fn plan(
        &self,
        request: PlanResourceChangeRequest,
    ) -> PlanResourceChangeResponse {
        let (service, owned) = (self.clone(), request.clone());
        let planned = self
            .or_stopped(
                "a plan",
                self.pace(&request.type_name, |it| &it.plan),
                async move { service.try_plan(&owned).await },
            )
            .await;
        match planned {
            Ok((response, diagnostics)) => PlanResourceChangeResponse {
                diagnostics: to_wire(diagnostics),
                ..response
            },
            // Terraform takes nothing of a plan with errors, but wants a value of the right type.
            Err(errors) => PlanResourceChangeResponse {
                diagnostics: to_wire(errors),
                planned_state: request.prior_state,
                planned_private: request.prior_private,
                ..PlanResourceChangeResponse::default()
            },
        }
    }

    async fn try_plan(
        &self,
        request: &PlanResourceChangeRequest,
    ) -> Result<(PlanResourceChangeResponse, Diagnostics), Diagnostics> {
        let Known { resource, ty } = self.resource(&request.type_name)?;
        let block = resource.definition().schema().block();
        let config = from_wire(request.config.as_ref(), ty, "configuration")?;
        let prior = from_wire(request.prior_state.as_ref(), ty, "prior state")?;
        let proposed = if request.proposed_new_state == request.prior_state {
            prior.clone()
        } else {
            from_wire(request.proposed_new_state.as_ref(), ty, "proposed state")?
        };
        let call = self.call_of_module(&request.prior_private, request.provider_meta.as_ref())?;
        let plan = Plan {
            block,
            ty,
            stable: resource.stable(),
            stable_paths: resource.stable_paths(),
        };
        let draft = drafted(resource, ty, config, prior, proposed)?;
        let PlanOutcome {
            draft,
            private,
            diagnostics,
        } = resource.modify_plan(draft, ty, call).await;
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let Draft {
            config,
            prior,
            planned,
            replace: owned,
        } = draft;
        let planned = if planned == prior {
            planned
        } else {
            plan.normalized(&planned)?
        };
        let mut replace = plan.replaced(&config, &prior, &planned);
        replace.extend(
            owned
                .into_iter()
                .filter(|path| !replace.contains(path))
                .collect::<Vec<_>>(),
        );
        let response = PlanResourceChangeResponse {
            // Never the bytes that came: Terraform 1.6 rounds large numbers to floats where it
            // sends them, and not where it reads them.
            planned_state: Some(value::to_wire(&planned, ty, "planned state")?),
            requires_replace: replace.iter().map(path_to_wire).collect(),
            planned_private: private.to_wire(),
            planned_identity: request.prior_identity.clone(),
            ..PlanResourceChangeResponse::default()
        };
        Ok((response, diagnostics))
    }

    /// Applies a change to its end, even if the host goes away meanwhile: work that just ended
    /// would leave things half done.
    pub(crate) async fn apply(
        &self,
        request: ApplyResourceChangeRequest,
    ) -> ApplyResourceChangeResponse {
        let (service, owned) = (self.clone(), request.clone());
        let applied = self
            .to_the_end(async move { service.try_apply(&owned).await })
            .await;
        match applied {
            Ok(outcome) if outcome.settled => ApplyResourceChangeResponse {
                new_state: Some(outcome.state.map_or_else(value::null, msgpack_to_wire)),
                private: outcome.private.to_wire(),
                diagnostics: to_wire(outcome.diagnostics),
                new_identity: outcome
                    .identity
                    .map(identity_to_wire)
                    .or(request.planned_identity),
            },
            // Nothing is known to have changed, so the state is the prior one.
            Ok(Outcome { diagnostics, .. }) | Err(diagnostics) => ApplyResourceChangeResponse {
                diagnostics: to_wire(diagnostics),
                new_state: request.prior_state,
                private: request.planned_private,
                new_identity: request.planned_identity,
            },
        }
    }

    async fn try_apply(
        &self,
        request: &ApplyResourceChangeRequest,
    ) -> Result<Outcome, Diagnostics> {
        let Known { resource, ty } = self.resource(&request.type_name)?;
        let block = resource.definition().schema().block();
        let config = from_wire(request.config.as_ref(), ty, "configuration")?;
        let prior = from_wire(request.prior_state.as_ref(), ty, "prior state")?;
        let mut planned = from_wire(request.planned_state.as_ref(), ty, "planned state")?;
        let call = self.call_of_module(&request.planned_private, request.provider_meta.as_ref())?;
        plan::merge_write_only(block, &config, &mut planned);
        let updates = !prior.is_null() && !planned.is_null();
        let work = match (prior.is_null(), planned.is_null()) {
            (true, true) => {
                return Ok(Outcome {
                    settled: true,
                    private: call.private,
                    ..Outcome::default()
                });
            }
            (true, false) => Work::Create { plan: planned },
            (false, true) => Work::Delete { state: prior },
            (false, false) => Work::Update {
                plan: planned,
                prior,
            },
        };
        let call = Call {
            config: (!config.is_null()).then(|| (config, ty.clone())),
            ..call
        };
        let mut outcome = resource.run(work, ty, call).await;
        if updates
            && let Some(changed) = other_identity(
                Known { resource, ty },
                request.planned_identity.as_ref(),
                &outcome,
                "update",
            )
        {
            // The update is done, so its state is kept; without an identity of its own, the
            // response has the planned one.
            outcome.identity = None;
            outcome.diagnostics.push(changed);
        }
        Ok(outcome)
    }
}

/// The diagnostic for an object whose identity is another than before, and may not be. What had no
/// value before may have one now.
fn other_identity(
    known: Known<'_>,
    before: Option<&ResourceIdentityData>,
    outcome: &Outcome,
    done: &str,
) -> Option<Diagnostic> {
    let (before, now) = (
        before?.identity_data.as_ref()?,
        outcome.identity.as_deref()?,
    );
    // The usual case ends here, because equal bytes are equal identities.
    if before.msgpack == *now {
        return None;
    }
    let ty = known
        .resource
        .identity()
        .filter(|_| !known.resource.has_mutable_identity())?
        .schema()
        .implied_type();
    let before = from_wire(Some(before), &ty, "identity").ok()?;
    let now = Value::from_msgpack(now, &ty).ok()?;
    let other = before.as_map()?.iter().any(|(name, before)| {
        !before.is_null() && now.as_map().and_then(|now| now.get(name)) != Some(before)
    });
    let shown = |identity: &Value| {
        let json = identity.encode(&ty, Encoding::Json).ok();
        json.and_then(|json| String::from_utf8(json).ok())
            .unwrap_or_default()
    };
    other.then(|| diagnostics::identity_changed(done, &shown(&before), &shown(&now)))
}
