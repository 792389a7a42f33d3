resource "random_password" "admin" {
  length           = 16
  override_special = "!#%"
  min_numeric      = 2
}
