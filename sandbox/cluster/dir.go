package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Dir is the directory that a sandbox owns while it runs: its lock, logs, scratch data and kubeconfig.
type Dir struct {
	// Path is an absolute path.
	Path string
	lock *os.File
}

// OpenDir locks the directory for this process, and creates it if needed. It removes what a killed sandbox left; it
// fails without any change if the directory is not writable or another sandbox holds it.
func OpenDir(path string) (*Dir, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("resolve %s: %w", path, err)
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", abs, plain(err))
	}
	lock, err := os.OpenFile(filepath.Join(abs, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: it is not writable: %w", abs, plain(err))
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder := lockHolder(lock)
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%s is in use by another sandbox (%s): stop that one or choose another --dir", abs, holder)
		}
		return nil, fmt.Errorf("lock %s: %w", abs, err)
	}
	d := &Dir{Path: abs, lock: lock}
	if err := d.prepare(); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return d, nil
}

// Kubeconfig is the path of the admin kubeconfig. The sandbox writes it once it is ready.
func (d *Dir) Kubeconfig() string { return filepath.Join(d.Path, "kubeconfig") }

// Restricted is the path of the kubeconfig of a user with fewer rights, if a fault asks for one.
func (d *Dir) Restricted() string { return d.Kubeconfig() + "-restricted" }

// Logs is the directory with one log per part of the sandbox.
func (d *Dir) Logs() string { return filepath.Join(d.Path, "logs") }

// Run is the directory of data that the sandbox removes at its end.
func (d *Dir) Run() string { return filepath.Join(d.Path, "run") }

// Audit is the path of the log with every request to the management cluster's API server. It stays, like all logs.
func (d *Dir) Audit() string { return filepath.Join(d.Logs(), "audit.log") }

// Publish writes the kubeconfig atomically, readable by its owner only.
func (d *Dir) Publish(kubeconfig []byte) error { return d.put(d.Kubeconfig(), kubeconfig) }

func (d *Dir) put(file string, kubeconfig []byte) error {
	tmp := filepath.Join(d.Run(), "kubeconfig")
	if err := os.WriteFile(tmp, kubeconfig, 0o600); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	if err := os.Rename(tmp, file); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}

// Close removes the kubeconfig and the scratch data and unlocks the directory. Logs stay.
func (d *Dir) Close() error {
	err := d.clean()
	return errors.Join(err, d.lock.Close())
}

func (d *Dir) prepare() error {
	if err := d.clean(); err != nil {
		return err
	}
	if err := os.RemoveAll(d.Logs()); err != nil {
		return fmt.Errorf("cannot use %s: %w", d.Path, plain(err))
	}
	for _, sub := range []string{d.Run(), d.Logs()} {
		if err := os.MkdirAll(sub, 0o700); err != nil {
			return fmt.Errorf("cannot use %s: %w", d.Path, plain(err))
		}
	}
	if err := d.lock.Truncate(0); err != nil {
		return fmt.Errorf("write lock in %s: %w", d.Path, err)
	}
	if _, err := d.lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return fmt.Errorf("write lock in %s: %w", d.Path, err)
	}
	return nil
}

func (d *Dir) clean() error {
	for _, file := range []string{d.Kubeconfig(), d.Restricted()} {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove old kubeconfig: %w", err)
		}
	}
	if err := os.RemoveAll(d.Run()); err != nil {
		return fmt.Errorf("remove old data: %w", err)
	}
	return nil
}

func lockHolder(lock *os.File) string {
	buf := make([]byte, 32)
	n, _ := lock.ReadAt(buf, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
	if err != nil {
		return "its pid is unknown"
	}
	return fmt.Sprintf("pid %d", pid)
}

// plain drops operation and path from a path error, because the caller's message has both.
func plain(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
