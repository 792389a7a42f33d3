//! Actions.

use super::Service;
use super::data_source::{Found, configured, named};
use super::hiding::Events;
use crate::action::Progress;
use crate::erased::action::ErasedAction;
use crate::proto::action::{
    ActionRequest, Completed, InvokeActionEvent, PlanActionResponse, Stage,
};
use crate::proto::{self, action};
use crate::wire::diagnostics::to_wire;

impl Service {
    pub(super) fn action(&self, type_name: &str) -> Found<'_, dyn ErasedAction + 'static> {
        let all = (&self.0.parts.actions, &self.0.types.actions);
        named(all, type_name, ("Action Not Found", "action"))
    }

    pub(super) async fn plan_action(&self, request: ActionRequest) -> PlanActionResponse {
        let service = self.clone();
        let plan = async move {
            let (action, kind) = service.action(&request.action_type)?;
            let config = configured(request.config.as_ref(), kind)?;
            Ok(action.plan(config, kind.ty, service.call(&[])?).await)
        };
        let planned = self
            .or_stopped("a plan", None, plan)
            .await
            .unwrap_or_else(|errors| errors);
        PlanActionResponse {
            diagnostics: to_wire(planned),
        }
    }

    /// Does it to its end, even if the host goes away meanwhile, and tells how far it is.
    pub(super) async fn invoke_action(
        self,
        request: ActionRequest,
        to: Events<InvokeActionEvent>,
    ) -> Vec<proto::Diagnostic> {
        let (progress, mut reports) = Progress::new();
        let service = self.clone();
        let invoke = async move {
            let (action, kind) = service.action(&request.action_type)?;
            let config = configured(request.config.as_ref(), kind)?;
            Ok(action
                .invoke(config, kind.ty, progress, service.call(&[])?)
                .await)
        };
        let report = async |message: String| {
            to.send(event(Stage::Progress(action::Progress { message })))
                .await;
        };
        let mut invoked = std::pin::pin!(self.to_the_end(invoke));
        let done = loop {
            tokio::select! {
                biased;
                Some(message) = reports.recv() => report(message).await,
                done = &mut invoked => break done,
            }
        };
        while let Ok(message) = reports.try_recv() {
            report(message).await;
        }
        let diagnostics = to_wire(done.unwrap_or_else(|errors| errors));
        to.send(event(Stage::Completed(Completed {
            diagnostics: diagnostics.clone(),
        })))
        .await;
        diagnostics
    }
}

fn event(stage: Stage) -> InvokeActionEvent {
    InvokeActionEvent {
        r#type: Some(stage),
    }
}
