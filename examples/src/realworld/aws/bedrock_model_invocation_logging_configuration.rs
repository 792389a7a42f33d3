//! `aws_bedrock_model_invocation_logging_configuration`: single objects became lists of one, the other way round than most.

use upstate::{Object, Resource};

/// Where the calls of models are written down.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(
    type_name = "aws_bedrock_model_invocation_logging_configuration",
    version = 1
)]
#[upgrade_from(0 => 1, wrap(logging_config, logging_config.cloudwatch_config, logging_config.s3_config, empty = null))]
pub struct InvocationLogging {
    #[attribute(computed)]
    pub id: Option<String>,
    pub logging_config: Option<Vec<LoggingConfig>>,
}

#[derive(Debug, Clone, PartialEq, Object)]
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
