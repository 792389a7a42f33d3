# What the provider can do, in one configuration, for Terraform 1.14 or later. See the guide for how to let Terraform find it.
# What is there already is listed by files.tfquery.hcl, with `terraform query`.

terraform {
  required_providers {
    harbor = { source = "example.com/upstate/harbor" }
  }
}

provider "harbor" {
  root = "port"
}

resource "harbor_directory" "docs" {
  path = "docs"
}

resource "harbor_file" "readme" {
  path    = "${harbor_directory.docs.path}/readme.txt"
  content = "Welcome to ${harbor_directory.docs.id}.\n"

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.harbor_signal.written]
    }
  }
}

# Done whenever the file was written.
action "harbor_signal" "written" {
  config {
    path    = "harbor.log"
    message = "wrote ${harbor_file.readme.path}, ${harbor_file.readme.size} bytes"
  }
}

# In a file for as long as Terraform runs, and in no state.
ephemeral "harbor_pass" "visit" {
  path = "visitor"
}

resource "harbor_file" "key" {
  path           = provider::harbor::join(harbor_directory.docs.path, "visitor.key")
  secret         = ephemeral.harbor_pass.visit.number
  secret_version = 1
  permissions    = "0600"
}

# A file that this configuration does not write.
data "harbor_file" "tides" {
  path = "tides.txt"
}

resource "harbor_config_file" "quays" {
  path = "quays.conf"

  section {
    name     = "north"
    settings = { depth = "12", cranes = "2" }
  }

  section {
    name     = "south"
    settings = { depth = "7" }
  }

  upkeep = {
    owner   = "harbor master"
    editors = ["pilot", "tug"]
  }
}

output "tides" {
  value = data.harbor_file.tides.content
}

output "readme_sha256" {
  value = harbor_file.readme.sha256
}
