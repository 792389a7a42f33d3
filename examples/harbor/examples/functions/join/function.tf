output "path" {
  value = provider::harbor::join("docs", "readme.txt")
}
