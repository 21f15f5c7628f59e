//go:build !linux

package apiserver

import (
	"errors"
	"net"
)

// reserve fails: the sandbox runs on Linux only.
func reserve(string, int) (*net.TCPAddr, func(), error) {
	return nil, nil, errors.New("reserve a port: the sandbox needs Linux")
}
