package secret

// Kinds that are given by a place, and not by a rule of the table.
const (
	kindLookalike    = "lookalike"
	kindPassword     = "password"
	kindURLPassword  = "url-password"
	kindSecret       = "secret"
	kindToken        = "token"
	kindAPIKey       = "api-key"
	kindCredential   = "credential"
	kindAuthorize    = "authorization"
	kindBasic        = "basic-auth"
	kindBearer       = "bearer-token"
	kindCookie       = "cookie"
	kindSignature    = "url-signature"
	kindSeedPhrase   = "seed-phrase"
	kindOTPSeed      = "otp-seed"
	kindOTPCode      = "otp-code"
	kindWebhook      = "webhook"
	kindPrivateKey   = "private-key"
	kindJWT          = "jwt"
	kindAzureStorage = "azure-storage-key"
	kindAWSSecret    = "aws-secret-key"
	kindAWSSession   = "aws-session-token"
)

const maxKindLen = 24

// Kind is one kind of secret, and how it is known.
type Kind struct {
	Name  string
	Forms []string // how a token of this kind begins; none where only its place tells
	Names []string // words of a name that make this kind of what has no form: {"heroku"} for HEROKU_API_KEY
	Says  string
}

// Kinds lists all kinds, sorted by name. It is made anew at each call.
func Kinds() []Kind {
	return tables().list()
}

func isKind(name string) bool {
	return tables().kinds[name]
}
