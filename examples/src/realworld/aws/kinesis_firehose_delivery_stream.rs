//! `aws_kinesis_firehose_delivery_stream`: five attributes moved into a block, under other names.

use upstate::{Object, Resource};

/// A stream into a bucket.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_kinesis_firehose_delivery_stream", version = 1)]
#[upgrade_from(0, model = DeliveryStreamV0, rename(
        role_arn => s3_configuration.role_arn,
        s3_bucket_arn => s3_configuration.bucket_arn,
        s3_buffer_interval => s3_configuration.buffer_interval,
        s3_buffer_size => s3_configuration.buffer_size,
        s3_data_compression => s3_configuration.compression_format
    ))]
pub struct DeliveryStream {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
    pub s3_configuration: Option<Vec<S3Configuration>>,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_kinesis_firehose_delivery_stream", version = 0)]
pub struct DeliveryStreamV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
    pub role_arn: String,
    pub s3_bucket_arn: String,
    pub s3_buffer_interval: Option<i64>,
    pub s3_buffer_size: Option<i64>,
    pub s3_data_compression: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct S3Configuration {
    pub bucket_arn: String,
    pub buffer_interval: Option<i64>,
    pub buffer_size: Option<i64>,
    pub compression_format: Option<String>,
    pub role_arn: String,
}
