ephemeral "random_password" "admin" {
  length = 16
}
