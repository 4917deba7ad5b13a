NAME = demo
UPLOAD = https://files.example.test
