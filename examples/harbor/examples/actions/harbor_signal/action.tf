action "harbor_signal" "written" {
  config {
    path    = "harbor.log"
    message = "wrote something"
  }
}
