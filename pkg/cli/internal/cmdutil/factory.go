// Package cmdutil has the shared parts of the commands: the connection, streams and texts, options, runs, plans and
// exit codes.
package cmdutil

import (
	"github.com/hcctl/hcctl/pkg/cli/internal/connection"
)

// The linker sets these: Version from the tags of the repository, Commit to the full hash and Date to the time
// of that commit (RFC 3339). Commit and Date are empty in a build without linker flags.
var (
	Version = "devel"
	Commit  string
	Date    string
)

// Factory holds the parts that commands share. A command takes the parts that it needs.
type Factory struct {
	Streams    *Streams
	Getenv     func(string) string
	Call       *Call
	Connection *Connection
	Files      *Files
	Prompter   *Prompter
	Notices    *Notices
	Runner     *Runner
	Plans      *Plans
	Limit      *Limit
}

// Call describes how the user called hcctl.
type Call struct {
	Streams *Streams
	// Name is the name that the user called hcctl by: as a plugin "kubectl hcctl" or "oc hcctl". Empty means
	// hcctl.
	Name string
	// Args are the arguments of this call, without the program's name.
	Args []string
	// KubeFlags are kubectl's own connection flags.
	KubeFlags *connection.Flags
	// FromFile is the namespace of hosted clusters in a file of this call, empty if there is none.
	FromFile string
}

// NewFactory makes the parts for these streams. getenv reads the environment; nil means an empty one.
func NewFactory(streams Streams, getenv func(string) string) *Factory {
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	s := &streams
	s.getenv = getenv
	call := &Call{Streams: s, KubeFlags: new(connection.Flags)}
	notices := &Notices{streams: s, call: call}
	files := &Files{streams: s, call: call, getenv: getenv}
	limit := &Limit{waitedFor: notices.waitedFor}
	return &Factory{Streams: s, Getenv: getenv, Call: call, Files: files, Notices: notices, Limit: limit,
		Connection: &Connection{call: call, getenv: getenv, notices: notices},
		Prompter:   &Prompter{streams: s, files: files, limit: limit},
		Runner:     &Runner{streams: s, call: call, notices: notices, limit: limit},
		Plans:      &Plans{streams: s, call: call, files: files}}
}
