list "harbor_file" "texts" {
  provider = harbor

  config {
    suffix = ".txt"
  }
}
