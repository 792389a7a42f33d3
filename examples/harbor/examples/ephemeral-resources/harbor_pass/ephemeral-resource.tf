ephemeral "harbor_pass" "visit" {
  path = "visitor"
}
