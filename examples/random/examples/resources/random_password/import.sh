terraform import random_password.admin 'x9#kTr!m2QwLp7Za'
