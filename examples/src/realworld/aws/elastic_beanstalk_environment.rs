//! `aws_elastic_beanstalk_environment`: the tier got its default.

use upstate::Resource;

/// Where an application runs.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_elastic_beanstalk_environment", version = 1)]
#[upgrade_from(0 => 1, default(tier = "WebServer", when = empty))]
pub struct BeanstalkEnvironment {
    #[attribute(computed)]
    pub id: Option<String>,
    pub name: Option<String>,
    pub tier: Option<String>,
}
