package record

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// Seen is the checkpoint that this machine signed last for the log of a place. It lies outside of the log's folder: as
// VerifyOptions.Since it shows that the whole folder was put back to an earlier state. It is nil where there is none. With an *Error it
// may be there and is not to be relied on: a loss of power can leave it damaged.
func Seen(p Place) ([]byte, error) {
	d, err := openDisk(p.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, blame(err, "cannot open the state folder "+p.State)
	}
	defer d.close()
	at := filepath.Join(p.State, seenFile)
	text, err := readOptional(d, seenFile)
	if text == nil || err != nil {
		return nil, blameIf(err, "cannot read "+at)
	}
	key, err := d.read(commitKeyFile, maxNote)
	if err != nil {
		return nil, blame(err, "cannot read the key that "+at+" is checked with")
	}
	s, ok := parseSeen(text, key)
	if !ok {
		return nil, fail(CodeDamaged, "the next call that is sealed writes it anew", "%s is not what this machine wrote", at)
	}
	return s.note, nil
}

func blameIf(err error, what string) error {
	if err == nil {
		return nil
	}
	return blame(err, what)
}
