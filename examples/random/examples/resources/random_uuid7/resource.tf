resource "random_uuid7" "it" {
}
