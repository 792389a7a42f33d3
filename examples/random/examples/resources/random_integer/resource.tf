resource "random_integer" "port" {
  min = 49152
  max = 65535
}
