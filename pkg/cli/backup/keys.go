package backup

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// KeyFlags are the flags for the keys that open a backup.
type KeyFlags struct{ IdentityFile, PassphraseFile string }

// Bind adds the flags to a command. passphrase is the usage text of --passphrase-file.
func (f *KeyFlags) Bind(cmd *cobra.Command, passphrase string) {
	cmd.Flags().StringVar(&f.IdentityFile, "identity-file", "", "file with the keys of age (AGE-SECRET-KEY-1…) that open "+
		"the backup; - is standard input")
	cmd.Flags().StringVar(&f.PassphraseFile, "passphrase-file", "", passphrase)
}

// maxWorkFactor is the limit of age's own program, and the work factor of hcctl backup. One more doubles time
// and memory.
const maxWorkFactor = 18

// keyFile reads a file with a secret. It returns an error if other users can read the file.
func keyFile(a *cmdutil.Factory, flag, path string) ([]byte, error) {
	if path != "" && path != "-" {
		if err := safefile.PrivateFile(path); err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return a.Files.File(flag, path)
}

// Identities reads the keys. Without flags it returns none, and no error.
func (f *KeyFlags) Identities(a *cmdutil.Factory) ([]age.Identity, error) {
	var all []age.Identity
	data, err := keyFile(a, "--identity-file", f.IdentityFile)
	if err != nil {
		return nil, err
	}
	if data != nil {
		keys, err := age.ParseIdentities(bytes.NewReader(data))
		if err != nil {
			// age's error may quote the file, which is secret.
			return nil, fmt.Errorf("--identity-file %s: it has no keys of age (AGE-SECRET-KEY-1…)", f.IdentityFile)
		}
		all = append(all, keys...)
	}
	passphrase, err := f.passphrase(a)
	if err != nil || passphrase == "" {
		return all, err
	}
	key, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("--passphrase-file: %w", err)
	}
	key.SetMaxWorkFactor(maxWorkFactor)
	return append(all, key), nil
}

// passphrase reads the first line of the file.
func (f *KeyFlags) passphrase(a *cmdutil.Factory) (string, error) {
	data, err := keyFile(a, "--passphrase-file", f.PassphraseFile)
	if err != nil || data == nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimSuffix(line, "\r"); line == "" {
		return "", errors.New("--passphrase-file: its first line is empty")
	}
	return line, nil
}

// recipientsOf parses --recipient.
func recipientsOf(names []string) ([]age.Recipient, error) {
	var all []age.Recipient
	for _, name := range names {
		r, err := age.ParseX25519Recipient(name)
		if err != nil {
			return nil, fmt.Errorf("--recipient %q: give a public key of age, age1…, as age-keygen prints it", name)
		}
		all = append(all, r)
	}
	return all, nil
}
