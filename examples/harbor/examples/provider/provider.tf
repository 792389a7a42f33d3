provider "harbor" {
  root = "port"
}
