package transport

import (
	"errors"
	"strings"
)

// CredentialsError means that the command which the kubeconfig names for credentials (users[].user.exec) has failed:
// the API server was asked nothing.
type CredentialsError struct{ error }

// Unwrap gives client-go's own error.
func (e *CredentialsError) Unwrap() error { return e.error }

// credentialsErrorPrefix is how client-go's exec plugin (k8s.io/client-go v0.36, plugin/pkg/client/auth/exec) begins
// such errors, which have no type.
const credentialsErrorPrefix = "getting credentials: "

// asCredentialsError gives such an error its type; others stay as they are.
func asCredentialsError(err error) error {
	if strings.HasPrefix(err.Error(), credentialsErrorPrefix) {
		return &CredentialsError{err}
	}
	return err
}

// IsCredentials tells whether there was nothing to log in with: a command for credentials has failed.
func IsCredentials(err error) bool {
	var failed *CredentialsError
	return errors.As(err, &failed)
}

// CredentialsCommandError says how, without what client-go has to say to whoever never heard of such commands.
func CredentialsCommandError(err error) string {
	var failed *CredentialsError
	errors.As(err, &failed)
	how, _, _ := strings.Cut(strings.TrimPrefix(failed.Error(), credentialsErrorPrefix), "\n")
	return strings.TrimPrefix(how, "exec: ")
}
