//! `aws_instance`: one list of disks became three, then two attributes moved into a block.

use upstate::{Object, Resource};

/// A virtual machine.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_instance", version = 2)]
#[upgrade_from(
    1,
    model = InstanceV1,
    // What the block says already wins over the attributes beside it.
    rename(
        cpu_core_count => cpu_options.core_count,
        cpu_threads_per_core => cpu_options.threads_per_core,
        existing = keep
    )
)]
pub struct Instance {
    #[attribute(computed)]
    pub id: Option<String>,
    pub cpu_options: Option<Vec<CpuOptions>>,
    pub ebs_block_device: Option<Vec<EbsBlockDevice>>,
    pub ephemeral_block_device: Option<Vec<EphemeralBlockDevice>>,
    pub root_block_device: Option<Vec<RootBlockDevice>>,
    /// One of the many attributes that no upgrade touches.
    pub some_other_key: Option<String>,
}

/// The machine while its processor was described by two attributes beside the block.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_instance", version = 1)]
#[upgrade_from(0, model = InstanceV0)]
pub struct InstanceV1 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub cpu_core_count: Option<i64>,
    pub cpu_options: Option<Vec<CpuOptions>>,
    pub cpu_threads_per_core: Option<i64>,
    pub ebs_block_device: Option<Vec<EbsBlockDevice>>,
    pub ephemeral_block_device: Option<Vec<EphemeralBlockDevice>>,
    pub root_block_device: Option<Vec<RootBlockDevice>>,
    pub some_other_key: Option<String>,
}

/// The machine while all its disks were one list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[resource(type_name = "aws_instance", version = 0)]
pub struct InstanceV0 {
    #[attribute(computed)]
    pub id: Option<String>,
    pub block_device: Option<Vec<BlockDevice>>,
    pub some_other_key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct CpuOptions {
    pub core_count: Option<i64>,
    pub threads_per_core: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EbsBlockDevice {
    pub delete_on_termination: Option<bool>,
    pub device_name: String,
    pub encrypted: Option<bool>,
    pub snapshot_id: Option<String>,
    pub volume_size: Option<i64>,
    pub volume_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct EphemeralBlockDevice {
    pub device_name: String,
    pub virtual_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Object)]
pub struct RootBlockDevice {
    pub delete_on_termination: Option<bool>,
    pub device_name: String,
    pub snapshot_id: Option<String>,
    pub volume_size: Option<i64>,
    pub volume_type: Option<String>,
}

/// Any disk of version 0.
#[derive(Debug, Clone, PartialEq, Object)]
pub struct BlockDevice {
    pub delete_on_termination: Option<bool>,
    pub device_name: String,
    pub encrypted: Option<bool>,
    pub snapshot_id: Option<String>,
    pub virtual_name: Option<String>,
    pub volume_size: Option<i64>,
    pub volume_type: Option<String>,
}

impl BlockDevice {
    fn is_ephemeral(&self) -> bool {
        self.virtual_name
            .as_deref()
            .is_some_and(|name| name.starts_with("ephemeral"))
    }

    fn is_root(&self) -> bool {
        self.device_name == "/dev/sda1"
    }
}

impl From<InstanceV0> for InstanceV1 {
    fn from(prior: InstanceV0) -> Self {
        let mut ebs = Vec::new();
        let mut ephemeral = Vec::new();
        let mut root = Vec::new();
        let had_devices = prior.block_device.is_some();
        for device in prior.block_device.into_iter().flatten() {
            if device.is_ephemeral() {
                ephemeral.push(device.into());
            } else if device.is_root() {
                root.push(device.into());
            } else {
                ebs.push(device.into());
            }
        }
        Self {
            id: prior.id,
            cpu_core_count: None,
            cpu_options: None,
            cpu_threads_per_core: None,
            ebs_block_device: had_devices.then_some(ebs),
            ephemeral_block_device: had_devices.then_some(ephemeral),
            root_block_device: had_devices.then_some(root),
            some_other_key: prior.some_other_key,
        }
    }
}

impl From<BlockDevice> for EbsBlockDevice {
    fn from(device: BlockDevice) -> Self {
        Self {
            delete_on_termination: device.delete_on_termination,
            device_name: device.device_name,
            encrypted: device.encrypted,
            snapshot_id: device.snapshot_id,
            volume_size: device.volume_size,
            volume_type: device.volume_type,
        }
    }
}

impl From<BlockDevice> for EphemeralBlockDevice {
    fn from(device: BlockDevice) -> Self {
        Self {
            device_name: device.device_name,
            virtual_name: device.virtual_name,
        }
    }
}

impl From<BlockDevice> for RootBlockDevice {
    fn from(device: BlockDevice) -> Self {
        Self {
            delete_on_termination: device.delete_on_termination,
            device_name: device.device_name,
            snapshot_id: device.snapshot_id,
            volume_size: device.volume_size,
            volume_type: device.volume_type,
        }
    }
}
