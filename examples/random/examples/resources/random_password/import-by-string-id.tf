import {
  to = random_password.admin
  id = "x9#kTr!m2QwLp7Za"
}
