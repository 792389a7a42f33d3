# A name that is new whenever the server gets another image.
resource "random_id" "server" {
  byte_length = 8
  keepers = {
    image = var.image
  }
}

resource "acme_server" "web" {
  name  = "web-${random_id.server.hex}"
  image = random_id.server.keepers.image
}
