terraform import harbor_file.readme docs/readme.txt
