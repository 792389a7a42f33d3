terraform import random_integer.port 50390,49152,65535
