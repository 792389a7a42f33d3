import {
  to = harbor_file.readme
  identity = {
    path = "docs/readme.txt"
  }
}
