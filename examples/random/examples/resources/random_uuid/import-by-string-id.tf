import {
  to = random_uuid.it
  id = "6b0f8e7c-3c9b-4a43-8f1b-0c6d7f0e9a51"
}
