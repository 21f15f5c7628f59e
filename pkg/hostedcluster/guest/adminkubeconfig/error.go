package adminkubeconfig

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// FieldError reports which field of a kubeconfig is refused, and why. It never quotes a value, which could be secret.
type FieldError struct {
	// Field is the path, such as "users[0].user.exec"; empty for the whole kubeconfig.
	Field string
	// Why is part of a sentence, such as "it names a command".
	Why string
}

// Error returns one line.
func (e *FieldError) Error() string {
	if e.Field == "" {
		return "it is refused: " + e.Why
	}
	return e.Field + " is refused: " + e.Why
}

func refuse(field, why string, args ...any) error {
	return &FieldError{field, fmt.Sprintf(why, args...)}
}

const (
	namesFile    = "it names a file, and hcctl reads none that a Secret names"
	impersonates = "it impersonates another user"
)

// reasons returns why known fields of client-go are refused, by their lower-case names without dashes.
func reasons() map[string]string {
	return map[string]string{ //nolint:gosec // words for a person, no credentials
		"exec":                  "it names a command, and hcctl runs none that a Secret names",
		"authprovider":          "it names a plugin, and hcctl runs none that a Secret names",
		"certificateauthority":  namesFile,
		"clientcertificate":     namesFile,
		"clientkey":             namesFile,
		"tokenfile":             namesFile,
		"proxyurl":              "it sends requests through a proxy that the Secret names",
		"insecureskiptlsverify": "it switches off the verification of the server",
		"tlsservername":         "it accepts the certificate of another server",
		"as":                    impersonates,
		"asuid":                 impersonates,
		"asgroups":              impersonates,
		"asuserextra":           impersonates,
		"username":              "hcctl uses a client certificate or a token, no password",
		"password":              "hcctl uses a client certificate or a token, no password",
	}
}

// fieldName matches names of fields. A value at the place of a name must not be quoted.
var fieldName = lazyregexp.New(`^[A-Za-z][A-Za-z-]{0,31}$`)

// refuseField refuses a field that is unknown or in the wrong place.
func refuseField(path, name string) error {
	if why, known := reasons()[strings.ReplaceAll(strings.ToLower(name), "-", "")]; known {
		return refuse(join(path, name), "%s", why)
	}
	if !fieldName.MatchString(name) {
		return refuse(join(path, "?"), "it is none of the fields that the HyperShift operator writes")
	}
	return refuse(join(path, name), "it is none of the fields that the HyperShift operator writes")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
