// Package bounded reads files and streams, which may have no end, up to a limit.
package bounded

import (
	"fmt"
	"io"
	"os"
)

// TooLargeError means that there is more to read than there may be.
type TooLargeError struct {
	// Most is the limit, in bytes.
	Most int64
}

// Error says what the limit is.
func (e *TooLargeError) Error() string { return fmt.Sprintf("it has more than %d MiB", e.Most>>20) }

// All reads r to its end. It fails with the error of the read, or with *TooLargeError once there is more than most
// bytes.
func All(r io.Reader, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > most {
		return nil, &TooLargeError{most}
	}
	return data, nil
}

// File reads a file as All does. Devices and pipes are read like others.
func File(path string, most int64) ([]byte, error) {
	f, err := os.Open(path) //nolint:gosec // the callers say whose file it is
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := All(f, most)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}
