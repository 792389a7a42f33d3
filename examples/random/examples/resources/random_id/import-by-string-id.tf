import {
  to = random_id.server
  id = "web-,p-9hUg"
}
