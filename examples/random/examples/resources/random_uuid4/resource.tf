resource "random_uuid4" "it" {
}
