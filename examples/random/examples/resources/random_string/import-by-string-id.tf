import {
  to = random_string.suffix
  id = "k3v9qa"
}
