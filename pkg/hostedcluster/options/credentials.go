package options

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/document"
)

// pullSecretForm describes the form and the source of a pull secret, for errors.
//
//nolint:gosec // the text describes a pull secret, and contains none
const pullSecretForm = `it is a JSON file with an entry for each registry under "auths", as console.redhat.com gives it`

// checkPullSecret checks that the content is a dockerconfigjson with at least one registry, and each registry's
// credentials of the form base64(user:password). Its errors never carry a credential.
func checkPullSecret(content []byte) error {
	var file struct {
		Auths map[string]*struct {
			Auth string `json:"auth"`
		} `json:"auths"`
	}
	if len(bytes.TrimSpace(content)) == 0 {
		return errors.New("the pull secret is empty; " + pullSecretForm)
	}
	if _, err := document.One(content, "a pull secret"); json.Valid(content) && err != nil {
		return fmt.Errorf("the pull secret: %w", err)
	}
	if err := json.Unmarshal(content, &file); err != nil {
		return fmt.Errorf("the pull secret is not valid JSON%s; %s", position(content, err), pullSecretForm)
	}
	if len(file.Auths) == 0 {
		return errors.New("the pull secret names no registry; " + pullSecretForm)
	}
	var bad []error
	for _, registry := range slices.Sorted(maps.Keys(file.Auths)) {
		entry := file.Auths[registry]
		if entry == nil || entry.Auth == "" {
			bad = append(bad, fmt.Errorf("the pull secret has no auth for registry %q", registry))
			continue
		}
		plain, err := base64.StdEncoding.DecodeString(entry.Auth)
		if err != nil {
			bad = append(bad, fmt.Errorf("the pull secret's auth for registry %q is not base64", registry))
			continue
		}
		if user, password, ok := strings.Cut(string(plain), ":"); !ok || user == "" || password == "" {
			bad = append(bad, fmt.Errorf("the pull secret's auth for registry %q is not base64 of user:password", registry))
		}
	}
	return errors.Join(bad...)
}

// position returns the place of a JSON error, without quoting any of the content.
func position(content []byte, err error) string {
	var offset int64
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		return fmt.Sprintf(" of the expected form: %s has the wrong type, %s", strings.TrimPrefix(kind.Field, "."),
			strings.Fields(kind.Value)[0])
	default:
		return ""
	}
	before := content[:min(int(offset), len(content))]
	return fmt.Sprintf(": line %d, character %d", bytes.Count(before, []byte("\n"))+1,
		len(before)-(bytes.LastIndexByte(before, '\n')+1))
}

// checkPublicKeys checks each line as sshd would read it in authorized_keys: [options] type base64 [comment].
func checkPublicKeys(content []byte) error {
	if bytes.Contains(content, []byte("PRIVATE KEY")) {
		return errors.New("that is a private key; give the public one, whose name mostly ends in .pub")
	}
	found := false
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !isPublicKey(line) {
			return fmt.Errorf(`line %d is not a public key of the form "ssh-ed25519 AAAA... comment"`, i+1)
		}
		found = true
	}
	if !found {
		return errors.New("there is no public key in it")
	}
	return nil
}

// isPublicKey looks for a key type followed by a blob that begins with the same type (RFC 4253, 6.6).
func isPublicKey(line string) bool {
	fields := strings.Fields(line)
	for i := 0; i+1 < len(fields); i++ {
		blob, err := base64.StdEncoding.DecodeString(fields[i+1])
		if err != nil || len(blob) < 4 {
			continue
		}
		n := uint64(binary.BigEndian.Uint32(blob))
		if rest := blob[4:]; uint64(len(rest)) > n && string(rest[:n]) == fields[i] {
			return true
		}
	}
	return false
}
