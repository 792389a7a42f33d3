terraform import random_string.suffix k3v9qa
