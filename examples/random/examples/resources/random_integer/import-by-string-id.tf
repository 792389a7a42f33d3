import {
  to = random_integer.port
  id = "50390,49152,65535"
}
