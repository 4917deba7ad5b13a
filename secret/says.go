package secret

// says describes a kind that its name does not explain.
func says(kind string) string {
	switch kind {
	case kindLookalike:
		return "the text <secret: itself, so that nobody can write a placeholder"
	case kindPassword:
		return "a value in a place for a password"
	case kindURLPassword:
		return "the password of scheme://user:password@host"
	case kindSecret:
		return "a value whose name says secret"
	case kindToken:
		return "a value whose name says token"
	case kindAPIKey:
		return "a value whose name says key, and of what"
	case kindCredential:
		return "a value whose name says credential or auth"
	case kindAuthorize:
		return "what follows another scheme of an Authorization header, or none"
	case kindBasic:
		return "user and password in base64, in an Authorization header"
	case kindBearer:
		return "what follows Bearer or Token in an Authorization header; in any text, if it is long"
	case kindCookie:
		return "the value of a Cookie or Set-Cookie header"
	case kindSignature:
		return "the signature of a URL that permits what it names (Azure, Amazon, Google)"
	case kindSeedPhrase:
		return "twelve words or more behind a name that says seed or mnemonic"
	case kindOTPSeed:
		return "the seed of one-time passwords"
	case kindOTPCode:
		return "a one-time password"
	case kindWebhook:
		return "the path of a URL whose name says webhook"
	case kindPrivateKey:
		return "a private key: PEM, OpenSSH, OpenPGP, PuTTY, or the base64 of one"
	case kindJWT:
		return "a JSON web token"
	case kindAzureStorage:
		return "AccountKey or SharedAccessKey of a connection string"
	case kindAWSSecret:
		return "the secret access key, by its name"
	}
	return ""
}
