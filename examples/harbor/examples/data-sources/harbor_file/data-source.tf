data "harbor_file" "tides" {
  path = "tides.txt"
}
