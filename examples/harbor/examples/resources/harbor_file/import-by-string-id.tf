import {
  to = harbor_file.readme
  id = "docs/readme.txt"
}
