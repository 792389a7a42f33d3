//! Instances of every version, from the same parameters.

use serde_json::{Value, json};

use crate::workloads::Document;
use crate::workloads::generate::{Generator, joined};

/// One disk, with its size as a string and as a number.
fn disk(generator: &mut Generator) -> [Value; 2] {
    let size = 10 + generator.below(900);
    let params = json!({
        "image": format!("projects/debian-cloud/global/images/debian-12-v2025{:04}", generator.below(1231)),
        "iops": generator.below(90_000),
        "labels": generator.labels(2),
        "type": "pd-balanced",
    });
    let disk = json!({
        "auto_delete": generator.flag(),
        "device_name": format!("disk-{}", generator.hex(4)),
        "kms_key": null,
        "mode": "READ_WRITE",
        "source": format!("projects/acme-production/zones/europe-west4-b/disks/{}", generator.hex(10)),
    });
    [json!({ "size": size.to_string() }), json!({ "size": size })]
        .map(|size| joined(&disk, json!({ "params": joined(&params, size) })))
}

fn network_interface(generator: &mut Generator, index: usize) -> Value {
    json!({
        "access_config": [{ "nat_ip": format!("203.0.113.{}", generator.below(255)), "tier": "PREMIUM" }],
        "address": format!("10.0.{}.{}", generator.below(255), generator.below(255)),
        "name": format!("nic{index}"),
        "network": "projects/acme-production/global/networks/default",
        "subnetwork": format!("projects/acme-production/regions/europe-west4/subnetworks/{}", generator.word()),
    })
}

/// The attributes that no version changed.
fn unchanged(generator: &mut Generator) -> Value {
    let texts = json!({
        "cpu_platform": "Intel Sapphire Rapids",
        "created_at": "2025-11-03T10:22:41.123-07:00",
        "creator": format!("{}@example.com", generator.word()),
        "current_status": "RUNNING",
        "description": generator.sentence(),
        "desired_status": null,
        "fingerprint": generator.hex(16),
        "guest_type": null,
        "hostname": format!("{}.internal.example.com", generator.word()),
        "id": format!("projects/acme-production/zones/europe-west4-b/instances/{}", generator.hex(8)),
        "instance_id": generator.below(u64::MAX).to_string(),
        "key_revocation": null,
        "label_fingerprint": generator.hex(12),
        "metadata_fingerprint": generator.hex(12),
        "min_cpu_platform": null,
        "name": format!("{}-{}", generator.word(), generator.hex(5)),
        "network_tier": "PREMIUM",
        "project": "acme-production",
        "self_link": format!("https://www.example.com/compute/v1/projects/acme-production/zones/europe-west4-b/{}", generator.hex(8)),
        "startup_script": "#!/bin/sh\nset -e\napt-get update && apt-get install -y agent\nexec /opt/start --now\n",
    });
    let others = json!({
        "allow_stopping": generator.flag(),
        "can_ip_forward": false,
        "confidential": generator.flag(),
        "deletion_protection": generator.flag(),
        "effective_labels": generator.labels(8),
        "enable_display": false,
        "enable_vtpm": true,
        "guest_count": generator.below(4),
        "labels": generator.labels(8),
        "metadata": generator.labels(6),
        "nested_virtualization": false,
        "network_interface": [network_interface(generator, 0), network_interface(generator, 1)],
        "performance": generator.below(1000) as f64 / 8.0,
        "resource_policies": [format!("policy-{}", generator.hex(4))],
        "scheduling": { "automatic_restart": true, "on_host_maintenance": "MIGRATE", "preemptible": false },
        "scratch_disks": 0,
        "service_account": {
            "email": format!("{}@acme-production.iam.example.com", generator.word()),
            "scopes": (0..3).map(|_| format!("https://www.example.com/auth/{}", generator.word())).collect::<Vec<_>>(),
        },
        "tags": (0..4).map(|_| generator.word()).collect::<Vec<_>>(),
        "weight": 1.5,
    });
    joined(&texts, others)
}

pub(super) fn document(generator: &mut Generator) -> Document {
    let common = unchanged(generator);
    let [boot_v0, boot] = disk(generator);
    let [first_v0, first] = disk(generator);
    let [second_v0, second] = disk(generator);
    let (region, zone) = (
        "europe-west4",
        format!(
            "europe-west4-{}",
            ["a", "b", "c"][generator.below(3) as usize]
        ),
    );
    let machine = format!("n2-standard-{}", 2 << generator.below(5));
    let token = generator.hex(20);
    let location = format!("{region}/{zone}");
    let v0 = json!({
        "boot_disk": boot_v0, "disks": [first_v0, second_v0], "legacy_token": token, "location": location, "machine": machine,
    });
    let v1 = json!({
        "boot_disk": boot, "disks": [first, second], "legacy_token": token, "location": location, "machine_type": machine,
    });
    let v2 = json!({
        "boot_disk": boot, "disks": [first, second], "machine_type": machine, "region": region, "zone": zone,
    });
    Document([v0, v1, v2].map(|changed| joined(&common, changed)))
}
