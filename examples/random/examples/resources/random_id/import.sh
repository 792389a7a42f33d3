terraform import random_id.server web-,p-9hUg
