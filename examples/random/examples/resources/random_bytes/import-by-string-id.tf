import {
  to = random_bytes.key
  id = "8/fu3q+2DcgSJ19i0jZ5Cw=="
}
