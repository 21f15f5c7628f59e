package transport

import (
	"errors"
	"fmt"
)

// TooLargeError means that a server has sent more than Limits allow, or an answer that would take more memory. The
// rest was not read, and asking again would not help.
type TooLargeError struct {
	// Server is "the API server of hosted cluster clusters/kv-00" or "the API server at https://api.example.com:6443".
	Server string
	// What was asked for, such as "a list of nodes".
	What string
	// Why says what there is too much of, such as "more than 4 MiB".
	Why string
	// Guest is whether it is the API server of a hosted cluster.
	Guest bool
	// page is whether fewer objects at a time may be asked for.
	page bool
}

// Error names server, request and limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s sent %s for %s; the rest was not read", e.Server, e.Why, e.What)
}

// Hint is what to do about it.
func (e *TooLargeError) Hint() string {
	if e.Guest {
		return "hcctl reads no more from a hosted cluster, which others may control: ask those who run it what is there"
	}
	return "no real answer is that large: does a proxy answer in its place, or is there an object far too large?"
}

// IsTooLarge tells whether a server has sent more than it may.
func IsTooLarge(err error) bool {
	var large *TooLargeError
	return errors.As(err, &large)
}

// pageTooLarge tells whether it may help to ask for fewer objects at a time.
func pageTooLarge(err error) bool {
	var large *TooLargeError
	return errors.As(err, &large) && large.page
}

// bytesText is a limit for a person.
func bytesText(n int64) string {
	switch {
	case n >= gib:
		return fmt.Sprintf("%d GiB", n/gib)
	case n >= mib:
		return fmt.Sprintf("%d MiB", n/mib)
	}
	return fmt.Sprintf("%d KiB", n/kib)
}
