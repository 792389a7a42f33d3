import {
  to = random_uuid7.it
  id = "6b0f8e7c-3c9b-7a43-8f1b-0c6d7f0e9a51"
}
