//go:build !linux

package process

import (
	"errors"
	"os"
)

type command struct {
	Path      string
	Args, Env []string
	Log       *os.File
	Files     []*os.File
}

type child struct{}

type spawner struct{}

// newSpawner fails: only Linux ends children with a killed parent.
func newSpawner() (*spawner, error) {
	return nil, errors.New("the sandbox runs on Linux only: run it in a Linux machine or container")
}

func (*spawner) close() {}

func (*spawner) spawn(command) (*child, error) { return nil, errors.ErrUnsupported }

func (*child) pid() int { return 0 }

func (*child) wait() error { return errors.ErrUnsupported }

func (*child) terminate() {}

func (*child) kill() {}
