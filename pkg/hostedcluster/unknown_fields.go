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

// UnknownFieldError means that the operator's CRD is older than an option: the field that it would be written to does
// not exist.
type UnknownFieldError struct {
	// Object is what could not be changed, such as "NodePool clusters/kv-00".
	Object string
	// Fields are the paths in it.
	Fields []string
	// Err is the API server's answer.
	Err error
}

// Error names the fields.
func (e *UnknownFieldError) Error() string {
	return fmt.Sprintf("%s: this cluster's HyperShift does not know %s; nothing was written", e.Object,
		strings.Join(e.Fields, ", "))
}

// Hint says what would help.
func (*UnknownFieldError) Hint() hint.Text {
	return hint.New("leave its flag out; a newer multicluster engine may know it")
}

// Unwrap returns the API server's answer.
func (e *UnknownFieldError) Unwrap() error { return e.Err }

var unknownField = lazyregexp.New(`unknown field "([^"]+)"`)

// UnknownFields are the fields that an API server under strict validation says it does not know; none if err is about
// anything else.
func UnknownFields(err error) []string {
	var edited *UnknownFieldError
	switch {
	case errors.As(err, &edited):
		return edited.Fields
	case !apierrors.IsBadRequest(err) && !apierrors.IsInvalid(err):
		return nil
	}
	// The answer to a merge patch has the whole object before these words.
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
