# What the provider can do, in one configuration. See the guide for how to let Terraform find it.

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

output "readme_sha256" {
  value = harbor_file.readme.sha256
}
