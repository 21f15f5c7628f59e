package transport

import (
	"errors"
	"strings"
)

// CredentialsError means that the kubeconfig's command for credentials (users[].user.exec) has failed. No request was
// sent.
type CredentialsError struct{ error }

// Unwrap gives client-go's own error.
func (e *CredentialsError) Unwrap() error { return e.error }

// credentialsErrorPrefix begins the untyped errors of client-go's exec plugin (k8s.io/client-go v0.36,
// plugin/pkg/client/auth/exec).
const credentialsErrorPrefix = "getting credentials: "

// asCredentialsError gives such an error its type. It returns other errors unchanged.
func asCredentialsError(err error) error {
	if strings.HasPrefix(err.Error(), credentialsErrorPrefix) {
		return &CredentialsError{err}
	}
	return err
}

// IsCredentials reports whether the command for credentials has failed.
func IsCredentials(err error) bool {
	var failed *CredentialsError
	return errors.As(err, &failed)
}

// CredentialsCommandError returns why the command failed, without client-go's general advice.
func CredentialsCommandError(err error) string {
	var failed *CredentialsError
	errors.As(err, &failed)
	how, _, _ := strings.Cut(strings.TrimPrefix(failed.Error(), credentialsErrorPrefix), "\n")
	return strings.TrimPrefix(how, "exec: ")
}
