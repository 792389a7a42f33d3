resource "harbor_file" "readme" {
  path    = "docs/readme.txt"
  content = "Welcome.\n"
}
