resource "random_uuid" "it" {
}
