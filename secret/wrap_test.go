package secret

import "encoding/base64"

func wrap(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
