package hostedcluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// UnknownFieldError means that the operator's CRD is older than an option and lacks the field that the option sets.
type UnknownFieldError struct {
	// Object names the object that could not be changed, such as "NodePool clusters/kv-00".
	Object string
	// Fields lists the paths of the unknown fields.
	Fields []string
	// Err is the error of the API server.
	Err error
}

// Error returns the object and the unknown fields.
func (e *UnknownFieldError) Error() string {
	return fmt.Sprintf("%s: this cluster's HyperShift does not know %s; nothing was written", e.Object,
		strings.Join(e.Fields, ", "))
}

// Hint advises to omit the flag or to upgrade the multicluster engine.
func (*UnknownFieldError) Hint() hint.Text {
	return hint.New("leave its flag out; a newer multicluster engine may know it")
}

// Unwrap returns the error of the API server.
func (e *UnknownFieldError) Unwrap() error { return e.Err }

var unknownField = lazyregexp.New(`unknown field "([^"]+)"`)

// UnknownFields returns the fields that an API server with strict validation rejects as unknown; nil if err has another
// cause.
func UnknownFields(err error) []string {
	var edited *UnknownFieldError
	switch {
	case errors.As(err, &edited):
		return edited.Fields
	case !apierrors.IsBadRequest(err) && !apierrors.IsInvalid(err):
		return nil
	}
	// The error about a merge patch contains the whole object before this text.
	_, text, strict := strings.Cut(err.Error(), "strict decoding error: ")
	if !strict && apierrors.IsInvalid(err) {
		return nil
	}
	if !strict {
		text = err.Error()
	}
	var names []string
	for _, m := range unknownField.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
