package apiserver

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// reserve binds a port, a free one for 0, and listens on nothing: no other process gets it, but a kube-apiserver with
// --permit-port-sharing, or a listener with sharePort, may listen there. It does so until release.
func reserve(bind string, port int) (address *net.TCPAddr, release func(), err error) {
	ip := net.ParseIP(bind).To4()
	if ip == nil {
		return nil, nil, fmt.Errorf("reserve a port: %q is no IPv4 address", bind)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("reserve a port: %w", err)
	}
	release = sync.OnceFunc(func() { _ = unix.Close(fd) })
	if err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte(ip)})
	}
	var bound unix.Sockaddr
	if err == nil {
		bound, err = unix.Getsockname(fd)
	}
	if err != nil {
		release()
		return nil, nil, fmt.Errorf("reserve %s: %w", net.JoinHostPort(bind, strconv.Itoa(port)), err)
	}
	return &net.TCPAddr{IP: ip, Port: bound.(*unix.SockaddrInet4).Port}, release, nil
}

// sharePort lets a listener have a reserved port.
func sharePort(_, _ string, conn syscall.RawConn) error {
	var set error
	err := conn.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) // #nosec G115 -- a file descriptor
	})
	return errors.Join(err, set)
}
