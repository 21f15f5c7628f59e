package transport

import (
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
)

// TooLargeError means that an answer exceeded the Limits. The rest was not read, and a retry does not help.
type TooLargeError struct {
	// Server is "the API server of hosted cluster clusters/kv-00" or "the API server at https://api.example.com:6443".
	Server string
	// What is the request, such as "a list of nodes".
	What string
	// Why names the limit, such as "more than 4 MiB".
	Why string
	// Guest is set for the API server of a hosted cluster.
	Guest bool
	// page is set if a smaller page may help.
	page bool
}

// Error returns a message with server, request and limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s sent %s for %s; the rest was not read", e.Server, e.Why, e.What)
}

// Hint returns advice for the user.
func (e *TooLargeError) Hint() hint.Text {
	if e.Guest {
		return hint.New("hcctl reads no more from a hosted cluster, which others may control: ask those who run it what " +
			"is there")
	}
	return hint.New("no real answer is that large: does a proxy answer in its place, or is there an object far too " +
		"large?")
}

// IsTooLarge reports whether an answer exceeded the Limits.
func IsTooLarge(err error) bool {
	var large *TooLargeError
	return errors.As(err, &large)
}

// pageTooLarge reports whether a smaller page may help.
func pageTooLarge(err error) bool {
	var large *TooLargeError
	return errors.As(err, &large) && large.page
}

// bytesText formats a limit for the user.
func bytesText(n int64) string {
	switch {
	case n >= gib:
		return fmt.Sprintf("%d GiB", n/gib)
	case n >= mib:
		return fmt.Sprintf("%d MiB", n/mib)
	}
	return fmt.Sprintf("%d KiB", n/kib)
}
