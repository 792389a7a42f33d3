resource "random_pet" "server" {
  length = 3
}
