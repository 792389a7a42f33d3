//! Actions.

use tokio::sync::mpsc;
use tonic::Status;
use upstate::Diagnostics;

use super::Service;
use super::data_source::configured;
use super::hiding::Kind;
use crate::action::Progress;
use crate::diagnostics;
use crate::erased::action::ErasedAction;
use crate::plan;
use crate::proto::action::{ActionRequest, Completed, InvokeActionEvent, PlanActionResponse, Stage};
use crate::proto::data_source::{ValidateConfigRequest, ValidateConfigResponse};
use crate::proto::{self, action};
use crate::wire::value::from_wire;

impl Service {
    fn action(&self, type_name: &str) -> Result<(&dyn ErasedAction, Kind<'_>), Diagnostics> {
        let action = self.0.parts.actions.get(type_name).zip(self.0.types.actions.get(type_name));
        let Some((action, ty)) = action else {
            return Err(diagnostics::unknown_type("Action Not Found", "action", type_name).into());
        };
        Ok((action.as_ref(), Kind { block: action.schema().block(), ty }))
    }

    pub(super) async fn validate_action(&self, request: ValidateConfigRequest) -> ValidateConfigResponse {
        let kind = self.action(&request.type_name).ok().map(|(_, kind)| kind);
        let _hidden = self.hide(kind, [request.config.as_ref()]);
        let (service, asked) = (self.clone(), request.clone());
        let check = async move {
            let (action, kind) = service.action(&asked.type_name)?;
            let config = from_wire(asked.config.as_ref(), kind.ty, "configuration")?;
            let mut diagnostics = plan::remarks(action.schema(), &config);
            diagnostics.append(action.validate(config, kind.ty.clone()));
            Ok(diagnostics)
        };
        let checked = self.or_stopped("a validation", None, check).await.unwrap_or_else(|errors| errors);
        ValidateConfigResponse { diagnostics: self.told(kind, [request.config.as_ref()], checked) }
    }

    pub(super) async fn plan_action(&self, request: ActionRequest) -> PlanActionResponse {
        let kind = self.action(&request.action_type).ok().map(|(_, kind)| kind);
        let _hidden = self.hide(kind, [request.config.as_ref()]);
        let (service, asked) = (self.clone(), request.clone());
        let plan = async move {
            let (action, kind) = service.action(&asked.action_type)?;
            let config = configured(asked.config.as_ref(), kind.block, kind.ty)?;
            Ok(action.plan(config, kind.ty, service.call(&[])?).await)
        };
        let planned = self.or_stopped("a plan", None, plan).await.unwrap_or_else(|errors| errors);
        PlanActionResponse { diagnostics: self.told(kind, [request.config.as_ref()], planned) }
    }

    /// Does it to its end, even if the host goes away meanwhile, and tells how far it is.
    pub(super) async fn invoke_action(
        self,
        request: ActionRequest,
        to: mpsc::Sender<Result<InvokeActionEvent, Status>>,
    ) -> Vec<proto::Diagnostic> {
        let kind = self.action(&request.action_type).ok().map(|(_, kind)| kind);
        let _hidden = self.hide(kind, [request.config.as_ref()]);
        let secrets = self.secrets_in(kind, [request.config.as_ref()]);
        let (progress, mut reports) = Progress::new();
        let (service, asked) = (self.clone(), request.clone());
        let invoke = async move {
            let (action, kind) = service.action(&asked.action_type)?;
            let config = configured(asked.config.as_ref(), kind.block, kind.ty)?;
            Ok(action.invoke(config, kind.ty, progress, service.call(&[])?).await)
        };
        let tell = async |message: String| {
            let message = secrets.blotted(&message).unwrap_or(message);
            // If nobody listens any more, it goes on all the same.
            let _ = to.send(Ok(event(Stage::Progress(action::Progress { message })))).await;
        };
        let mut invoked = std::pin::pin!(self.to_the_end(invoke));
        let done = loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => tell(report).await,
                done = &mut invoked => break done,
            }
        };
        while let Ok(report) = reports.try_recv() {
            tell(report).await;
        }
        let diagnostics = self.told(kind, [request.config.as_ref()], done.unwrap_or_else(|errors| errors));
        let _ = to.send(Ok(event(Stage::Completed(Completed { diagnostics: diagnostics.clone() })))).await;
        diagnostics
    }
}

fn event(stage: Stage) -> InvokeActionEvent {
    InvokeActionEvent { r#type: Some(stage) }
}
