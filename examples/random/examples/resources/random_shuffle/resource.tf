# Two of three zones.
resource "random_shuffle" "zones" {
  input        = ["a", "b", "c"]
  result_count = 2
}
