curl -fsS https://scan.example.test/ -d @notes.txt
