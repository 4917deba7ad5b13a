// Package record is the sealed log: what was asked, decided and done, in an append-only tree of hashes with a signed checkpoint. Append
// returns when an entry is durable; readers prove and verify with the log's folder and the public key alone. It refuses to write to a
// log that is not what it signed last, that a newer ambit made, or whose keys are gone or open to others: it never starts a new log in
// the place of one that is missing.
//
// The formats are in docs/formats.md.
package record

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sys/unix"
)

// Place is where a log lives: two absolute folders, made on first use.
type Place struct {
	State  string // log/, the keys, and what this machine has seen
	Config string // log.pub, the public key
}

// LogDir is the folder that Read and Verify take.
func (p Place) LogDir() string { return filepath.Join(p.State, "log") }

// Keys are the files that whoever has them can forge the record with, or find out what a commitment stands for.
func (p Place) Keys() []string {
	return []string{filepath.Join(p.State, logKeyFile), filepath.Join(p.State, commitKeyFile)}
}

// PublicKeyFile has the key that Verify takes, and a line end.
func (p Place) PublicKeyFile() string { return filepath.Join(p.Config, "log.pub") }

// Options of Open. The zero value is for use.
type Options struct {
	Now func() time.Time // nil: time.Now

	open func(folder string) (disk, error) // nil: openDisk, after making the folder
	rand func([]byte) (int, error)         // nil: crypto/rand.Read
}

// Log appends to the log of a place. It may be used by several goroutines, and by several processes with a Log of their own.
type Log struct {
	place  Place
	opt    Options
	state  disk
	key    logKey
	commit []byte // commit.key
}

// The files of the state folder.
const (
	logDir         = "log"
	checkpointFile = "log/checkpoint"
	lockFile       = "lock"
	seenFile       = "seen"
	logKeyFile     = "log.key"
	commitKeyFile  = "commit.key"
	publicFile     = "log.pub" // in the config folder
)

// Open opens the log of a place, and makes it on first use: where there is neither a log nor a public key. It fails with an *Error.
func Open(p Place, o Options) (*Log, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.open == nil {
		o.open = makeDisk
	}
	if o.rand == nil {
		o.rand = rand.Read
	}
	if !filepath.IsAbs(p.State) || !filepath.IsAbs(p.Config) {
		return nil, fail(CodeState, "give absolute folders", "the folders of the log, %q and %q, are not both absolute", p.State, p.Config)
	}
	l := &Log{place: p, opt: o}
	var err error
	if l.state, err = o.open(p.State); err != nil {
		return nil, blame(err, "cannot use the state folder "+p.State)
	}
	if err := l.open(); err != nil {
		l.state.close()
		return nil, blame(err, "cannot open the log in "+p.State)
	}
	return l, nil
}

// Close releases the folder. It is not needed for what was appended.
func (l *Log) Close() error { return l.state.close() }

// makeDisk makes a folder, and those above it, durably, before it opens it.
func makeDisk(folder string) (disk, error) {
	d, err := openDisk(folder)
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if err := makeFolder(folder); err != nil {
		return disk{}, err
	}
	return openDisk(folder)
}

func makeFolder(folder string) error {
	above := filepath.Dir(folder)
	if _, err := os.Stat(above); errors.Is(err, fs.ErrNotExist) {
		if err := makeFolder(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.Open(above)
	if err != nil {
		return err
	}
	defer f.Close()
	return again(f.Sync)
}

// open reads the keys, or makes the log.
func (l *Log) open() error {
	config, err := l.opt.open(l.place.Config)
	if err != nil {
		return blame(err, "cannot use the configuration folder "+l.place.Config)
	}
	defer config.close()
	pub, err := readOptional(config, publicFile)
	if err != nil {
		return blame(err, "cannot read "+l.place.PublicKeyFile())
	}
	check, err := readOptional(l.state, checkpointFile)
	if err != nil {
		return err
	}
	if pub == nil || check == nil {
		// First use, or another process is at it, or something is gone.
		unlock, err := l.lock()
		if err != nil {
			return err
		}
		defer unlock()
		if pub, check, err = l.make(config); err != nil {
			return err
		}
	}
	c, err := parseCheckpoint(check)
	if err != nil {
		return err
	}
	if c.Size == 0 {
		// The one who wrote the public key may have been cut short: before there is anything to verify, it is durable.
		if err := config.syncDir("."); err != nil {
			return blame(err, "cannot use the configuration folder "+l.place.Config)
		}
	}
	return l.keys(pub)
}

func readOptional(d disk, name string) ([]byte, error) {
	b, err := d.read(name, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && b == nil {
		b = []byte{}
	}
	return b, err
}

// make makes what a log needs, in an order that a crash at any point can be carried on from: the keys, durable before anything is signed
// with them; the checkpoint of the empty log; then the public key, which from then on says that there must be a log. The caller holds
// the lock. It returns the public key and the checkpoint.
func (l *Log) make(config disk) (pub, check []byte, err error) {
	if pub, err = readOptional(config, publicFile); err != nil {
		return nil, nil, blame(err, "cannot read "+l.place.PublicKeyFile())
	}
	if check, err = readOptional(l.state, checkpointFile); err != nil {
		return nil, nil, err
	}
	if check == nil {
		if check, err = l.makeLog(pub); err != nil {
			return nil, nil, err
		}
	}
	if pub == nil {
		k, err := l.readLogKey()
		if err != nil {
			return nil, nil, err
		}
		if _, err := openCheckpoint(check, k.verifier); err != nil {
			return nil, nil, err
		}
		if err := l.state.syncDirs(logDir, "."); err != nil {
			return nil, nil, err
		}
		pub = []byte(k.public + "\n")
		if err = config.replace(publicFile, publicFile+".tmp", pub, true); err == nil {
			err = config.syncDir(".")
		}
		if err != nil {
			return nil, nil, blame(err, "cannot write "+l.place.PublicKeyFile())
		}
	}
	return pub, check, nil
}

// makeLog makes the keys and the empty log, if nothing speaks of an earlier one.
func (l *Log) makeLog(pub []byte) ([]byte, error) {
	seen, err := readOptional(l.state, seenFile)
	if err != nil {
		return nil, err
	}
	old, err := l.state.names(logDir + "/tile")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if pub != nil || seen != nil || len(old) > 0 {
		what := pick(pub != nil, l.place.PublicKeyFile()+" says that there is a log", "there are parts of a log")
		return nil, fail(CodeMissing,
			fmt.Sprintf("put %s back from a copy; or, to begin anew, move %s and %s away", l.place.LogDir(), l.place.State, l.place.PublicKeyFile()),
			"the log is missing: %s, but %s is not there", what, filepath.Join(l.place.State, checkpointFile))
	}
	if err := l.makeKey(commitKeyFile, func() ([]byte, error) {
		b := make([]byte, 32)
		_, err := l.opt.rand(b)
		return b, err
	}); err != nil {
		return nil, err
	}
	if err := l.makeKey(logKeyFile, func() ([]byte, error) {
		id := make([]byte, 8)
		if _, err := l.opt.rand(id); err != nil {
			return nil, err
		}
		key, _, err := note.GenerateKey(reader(l.opt.rand), originPrefix+hex.EncodeToString(id))
		return []byte(key + "\n"), err
	}); err != nil {
		return nil, err
	}
	// Also for keys that were there: the one who made them may have been cut short.
	if err := l.state.syncDir("."); err != nil {
		return nil, err
	}
	k, err := l.readLogKey()
	if err != nil {
		return nil, err
	}
	root, _ := tlog.TreeHash(0, nil) // that of no entry is a constant
	c, err := sign(tlog.Tree{Hash: root}, k.signer)
	if err != nil {
		return nil, err
	}
	if err := l.state.mkdirs(logDir); err != nil {
		return nil, err
	}
	return c.Note, l.state.replace(checkpointFile, checkpointFile+".tmp", c.Note, true)
}

type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }

// makeKey makes a key file if it is not there.
func (l *Log) makeKey(name string, gen func() ([]byte, error)) error {
	if b, err := readOptional(l.state, name); b != nil || err != nil {
		return err
	}
	b, err := gen()
	if err != nil {
		return &Error{Code: CodeKey, Message: "cannot make " + name, Next: "see that the system gives random numbers", Err: err}
	}
	return l.state.replace(name, name+".tmp", b, true)
}

// readKey reads a secret file. What others can read is no secret.
func (l *Log) readKey(name string) ([]byte, error) {
	at := filepath.Join(l.place.State, name)
	b, mode, err := l.state.readMode(name, unix.O_NOFOLLOW, maxNote)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fail(CodeKey, fmt.Sprintf("put it back from a copy; or, to begin a new log, move %s and %s away", l.place.State, l.place.PublicKeyFile()),
			"the key %s is missing, and without it nothing can be sealed", at)
	case err != nil:
		return nil, &Error{Code: CodeKey, Message: "cannot read the key " + at, Next: "see that it is a plain file that you may read (chmod 600)", Err: err}
	case mode.Perm()&0o077 != 0:
		return nil, fail(CodeKey, "if nobody else used it, chmod 600 "+at+"; otherwise begin a new log: move the state folder and log.pub away",
			"the key %s is open to other users (mode %04o)", at, mode.Perm())
	}
	return b, nil
}

// logKey is the content of log.key.
type logKey struct {
	signer   note.Signer
	verifier note.Verifier
	public   string // the text of log.pub, without its line end
}

func (l *Log) readLogKey() (logKey, error) {
	b, err := l.readKey(logKeyFile)
	if err != nil {
		return logKey{}, err
	}
	k, err := parseLogKey(string(b))
	if err != nil {
		return logKey{}, &Error{Code: CodeKey, Message: "the key " + filepath.Join(l.place.State, logKeyFile) + " is malformed", Next: "put it back from a copy", Err: err}
	}
	return k, nil
}

// parseLogKey reads a signer key of package note and a line end: "PRIVATE+KEY+<name>+<hash>+<base64 of 0x01 and the Ed25519 seed>".
func parseLogKey(text string) (k logKey, err error) {
	text, ok := strings.CutSuffix(text, "\n")
	if !ok {
		return k, errors.New("it has no line end")
	}
	if k.signer, err = note.NewSigner(text); err != nil {
		return k, err
	}
	// The last of five fields: base64 has plus signs of its own.
	seed, err := base64.StdEncoding.DecodeString(strings.SplitN(text, "+", 5)[4])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return k, errors.New("it has no seed") // NewSigner would have said so
	}
	private := ed25519.NewKeyFromSeed(seed[1:])
	if k.public, err = note.NewEd25519VerifierKey(k.signer.Name(), private.Public().(ed25519.PublicKey)); err != nil {
		return k, err
	}
	k.verifier, err = note.NewVerifier(k.public)
	return k, err
}

// keys reads all keys of a log that is there.
func (l *Log) keys(pub []byte) error {
	k, err := l.readLogKey()
	if err != nil {
		return err
	}
	if string(pub) != k.public+"\n" {
		return fail(CodeKey, "put the two back from the same copy", "%s is not the public key of %s", l.place.PublicKeyFile(), filepath.Join(l.place.State, logKeyFile))
	}
	if l.commit, err = l.readKey(commitKeyFile); err != nil {
		return err
	}
	if len(l.commit) != 32 {
		return fail(CodeKey, "put it back from a copy", "the key %s has %d bytes, not 32", filepath.Join(l.place.State, commitKeyFile), len(l.commit))
	}
	l.key = k
	return nil
}

// lock waits for the lock of the state folder. A process that dies with it releases it; the caller has its own deadline for one that hangs.
func (l *Log) lock() (unlock func(), err error) {
	for {
		f, err := l.state.openFile(lockFile, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW)
		if err != nil {
			return nil, err
		}
		if err = again(f.Lock); err == nil {
			return func() { f.Close() }, nil
		}
		f.Close()
		if !errors.Is(err, errUnlinked) {
			return nil, err
		}
	}
}
