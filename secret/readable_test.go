package secret

import "testing"

// What a shell would run stays readable: nobody hides a command from the person who approves it by writing it where a secret
// could stand.
func TestSafetyCommandsStayReadable(t *testing.T) {
	for _, text := range []string{
		"PASSWORD=«password|x1»;rm -rf ~", "PASSWORD=«password|x1» rm -rf ~", "PASSWORD=«password|x1»|sh", "PASSWORD=«password|x1»&& rm -rf ~", "PASSWORD=«password|x1»>~/.bashrc",
		"PASSWORD=$(rm -rf ~) x", "PASSWORD=\"«password|x1»$(rm -rf ~)\" x", "PASSWORD=\"«password|x1»`rm -rf ~`\" x", "PASSWORD=\"$(rm -rf ~)\" x", "PASSWORD=`reboot`", "echo password: `r3boot`",
		`bash -c "PASSWORD=«password|x1» rm -rf ~"`, `bash -c 'export PASSWORD=«password|x1»; rm -rf ~'`, `sh -c "PASSWORD='«password|x1»$(rm -rf ~)' y"`, `bash -lc 'TOKEN=«token|x1» && rm -rf ~'`,
		`echo PASSWORD=«password|\"x1» ; rm -rf ~ ; echo \"`, `echo "password: \"«password|x1»" ; rm -rf ~ ; echo "\""`,
		"echo Cookie: «cookie|a=b»; rm -rf ~", "echo Cookie: «cookie|a=b; c=d»; rm -rf ~", "echo 'Cookie: «cookie|a=b»'; rm -rf ~", "echo Authorization: Digest «authorization|x1»; rm -rf ~", "echo Authorization: Bearer «bearer-token|x1»; rm -rf ~", "echo Authorization: Basic «basic-auth|x1» | sh",
		"echo password: «password|x1»|sh", "echo 'password: «password|x1»' | sh", "echo password: «password|x1»&& rm -rf ~", "echo <password>«password|x1»; rm -rf ~; : </password>",
		": -----BEGIN PRIVATE KEY-----\nrm -rf ~\n: -----END PRIVATE KEY-----\n", "echo -----BEGIN PRIVATE KEY-----\nrm -rf ~\nreboot\n", "echo -----BEGIN RSA PRIVATE KEY----- | rm -rf / now\n",
		"«private-key|-----BEGIN PRIVATE KEY-----\n{b64}»\nrm -rf ~\n-----END PRIVATE KEY-----",
		"curl http://a:b;reboot;@x/", "curl http://a:«url-password|b1»@x/; rm -rf ~", "echo 'a:b1' ; rm -rf ~ ; echo x | chpasswd", "echo root:«password|b1» | chpasswd; rm -rf ~",
		"psql -c \"ALTER USER me PASSWORD '«password|x1»'\"; rm -rf ~", "curl -u me:«password|x1»$(rm -rf ~) h", "curl -u \"me:«password|x1»$(rm -rf ~)\" h", "mysql -p«password|x1» -e 'drop database x'", "curl -b 'a=$(rm -rf ~)' h",
		"MNEMONIC=apt remove bash curl wget sudo nano vim less more most tail head", "tool --password \"«password|x1»; rm -rf ~; \"", "cat <<E\n\"\nE\necho )\"; PASSWORD=\"«password|x1»; rm -rf ~; \"",
		"PASSWORD='«password|x1»\nrm -rf ~\n'", "TOKEN=«token|x1» \\\n rm -rf ~", "kubectl create secret generic x --from-literal=a=«secret|x1»; rm -rf ~", "vault login «token|x1»; rm -rf ~", "vault login; rm -rf ~", "npm config set _auth; rm -rf ~",
		"gh secret set X --body \"«secret|x1»$(rm -rf ~)\"", "echo «github-token|ghp_{a36}»; rm -rf ~", "echo '«github-token|ghp_{a36}»'';rm -rf ~'", "X=1;PASSWORD=«password|x1»;rm -rf ~",
	} {
		check(t, "", text)
	}
}
