terraform import random_bytes.key 8/fu3q+2DcgSJ19i0jZ5Cw==
