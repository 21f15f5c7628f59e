//go:build !linux

package apiserver

import (
	"errors"
	"net"
	"syscall"
)

// reserve fails: the sandbox runs on Linux only.
func reserve(string, int) (*net.TCPAddr, func(), error) {
	return nil, nil, errors.New("reserve a port: the sandbox needs Linux")
}

func sharePort(_, _ string, _ syscall.RawConn) error { return errors.ErrUnsupported }
