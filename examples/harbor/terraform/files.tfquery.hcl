# Every text file below the root, whoever wrote it: `terraform query`.

list "harbor_file" "texts" {
  provider         = harbor
  include_resource = true

  config {
    suffix = ".txt"
  }
}
