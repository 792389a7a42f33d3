//! `aws_bedrock_model_invocation_logging_configuration`: single objects became lists of one, the other way round than most.

use upstate::{Object, Resource};

/// Where the calls of models are written down.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_bedrock_model_invocation_logging_configuration", version = 1)]
#[upgrade_from(0, model = InvocationLoggingV0, wrap(logging_config, empty = null))]
pub struct InvocationLogging {
    #[attribute(computed)]
    pub id: Option<String>,
    pub logging_config: Option<Vec<LoggingConfig>>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_bedrock_model_invocation_logging_configuration", version = 0)]
pub struct InvocationLoggingV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub logging_config: Option<LoggingConfigV0>,
}

#[derive(Debug, Clone, PartialEq, Object)]
#[upgrade_from(model = LoggingConfigV0, wrap(cloudwatch_config, s3_config, empty = null))]
pub struct LoggingConfig {
    pub cloudwatch_config: Option<Vec<CloudwatchConfig>>,
    pub embedding_data_delivery_enabled: Option<bool>,
    pub s3_config: Option<Vec<S3Config>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CloudwatchConfig {
    pub log_group_name: String,
    pub role_arn: String,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct S3Config {
    pub bucket_name: String,
    pub key_prefix: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct LoggingConfigV0 {
    pub cloudwatch_config: Option<CloudwatchConfig>,
    pub embedding_data_delivery_enabled: Option<bool>,
    pub s3_config: Option<S3Config>,
}
