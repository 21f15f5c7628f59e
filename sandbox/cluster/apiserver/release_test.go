package apiserver

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestReleasesAreTheModules: each minor version has a module of the same name, which builds that version.
func TestReleasesAreTheModules(t *testing.T) {
	modules, err := filepath.Glob("../../kubernetes/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := []string{versionIn(t, "../../go.mod")}
	for _, module := range modules {
		version := versionIn(t, module)
		if name := filepath.Base(filepath.Dir(module)); name != version {
			t.Errorf("%s builds Kubernetes %s", module, version)
		}
		found = append(found, version)
	}
	slices.Sort(found)
	if !slices.Equal(found, Releases()) {
		t.Errorf("there are modules of Kubernetes %v, want %v", found, Releases())
	}
}

// versionIn is the minor version of Kubernetes in a go.mod file.
func versionIn(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`k8s\.io/kubernetes v(1\.\d+)\.`).FindSubmatch(data)
	if m == nil {
		t.Fatalf("%s has no k8s.io/kubernetes", file)
	}
	return string(m[1])
}

// TestReservedPort: who shares ports on purpose may listen on a reserved one, and nobody else.
func TestReservedPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the sandbox runs on Linux only")
	}
	address, release, err := reserve("127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Listen("tcp", address.String()); err == nil {
		t.Errorf("%s is free, though it is reserved", address)
	}
	if _, err := net.Dial("tcp", address.String()); err == nil {
		t.Errorf("%s accepts connections, though nobody listens", address)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())})
	}
	if err == nil {
		err = unix.Listen(fd, 1)
	}
	if err != nil {
		t.Errorf("%s cannot be shared: %v", address, err)
	}
	if conn, err := net.Dial("tcp", address.String()); err != nil {
		t.Errorf("connect to %s: %v", address, err)
	} else if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := unix.Close(fd); err != nil {
		t.Fatal(err)
	}
	release()
	listener, err := net.Listen("tcp", address.String())
	if err != nil {
		t.Fatalf("the port is not free again: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := reserve("localhost", 0); err == nil {
		t.Error("a name was reserved")
	}
}
