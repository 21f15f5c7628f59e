package ssh

import (
	"strings"
)

// User is the user of Red Hat Enterprise Linux CoreOS that the nodes' SSH key is for.
const User = "core"

// Command is how the user's own ssh or scp gets to nodes.
type Command struct {
	// Proxy is the program that connects, with its first arguments; ssh adds the node's host name and port.
	Proxy []string
	// KnownHosts is the file in which host keys are remembered.
	KnownHosts string
	// Identity is a file with a private key; empty leaves it to ssh's own files and agent.
	Identity string
	// Options are further options of ssh, as its -o takes them. They win over those of hcctl.
	Options []string
	// System is where ssh runs, as runtime.GOOS says it. It decides how words are quoted.
	System string
}

// Arguments are those of ssh and scp alike. The user's own configuration holds beside them.
func (c Command) Arguments() []string {
	var args []string
	for _, option := range c.Options {
		args = append(args, "-o", option) // of an option that is given twice, ssh takes the first
	}
	if c.Identity != "" {
		args = append(args, "-o", "IdentityFile="+c.inConfig(c.Identity), "-o", "IdentitiesOnly=yes")
	}
	words := make([]string, 0, len(c.Proxy))
	for _, word := range c.Proxy {
		words = append(words, c.inProxy(strings.ReplaceAll(word, "%", "%%")))
	}
	return append(args,
		"-o", "ProxyCommand="+strings.Join(words, " ")+" %h %p",
		"-o", "UserKnownHostsFile="+c.inConfig(c.KnownHosts),
		// The API server has vouched for the first connection; a key that changes is refused.
		"-o", "StrictHostKeyChecking=accept-new",
		// Whoever is root on the node could use them; an option of the user's own comes first and wins.
		"-o", "ForwardAgent=no", "-o", "ForwardX11=no",
	)
}

// inProxy is a word of a ProxyCommand, which a shell runs. The ssh of Windows starts the program without one, and old
// versions of it take no quotes that are not needed (github.com/coder/coder/issues/2853); no path has quotes there.
func (c Command) inProxy(word string) string {
	if c.System != windows {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	if word = slashes(word); strings.ContainsAny(word, " \t") {
		return `"` + word + `"`
	}
	return word
}

// inConfig is a path in an option of ssh, which knows quotes and expands % and leading ~.
func (c Command) inConfig(path string) string {
	if c.System == windows {
		path = slashes(path)
	}
	return `"` + strings.ReplaceAll(path, "%", "%%") + `"`
}

const windows = "windows"

// slashes is a path of Windows as every program takes it: a shell, which the ssh of Git for Windows calls, and ssh's
// own parser take a backslash for an escape.
func slashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }
