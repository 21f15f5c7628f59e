package ssh

import (
	"strings"
)

// User is the user of Red Hat Enterprise Linux CoreOS that the nodes' SSH key belongs to.
const User = "core"

// Command is the input of the arguments for the user's own ssh or scp.
type Command struct {
	// Proxy is the program that connects, with its first arguments. ssh appends the node's host name and port.
	Proxy []string
	// KnownHosts is the file that stores the host keys.
	KnownHosts string
	// Identity is a file with a private key. If empty, ssh uses its own files and agent.
	Identity string
	// Options are further options of ssh, in the form of -o. They take precedence over those of hcctl.
	Options []string
	// System is the operating system of ssh, as in runtime.GOOS. It decides how words are quoted.
	System string
}

// Arguments returns the arguments of ssh and scp. The user's ssh configuration applies as well.
func (c Command) Arguments() []string {
	var args []string
	for _, option := range c.Options {
		args = append(args, "-o", option) // of repeated options ssh uses the first
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
		// The API server has authenticated the first connection. A changed host key is refused.
		"-o", "StrictHostKeyChecking=accept-new",
		// Root on the node could use a forwarded agent or display. An option of the user comes first and takes precedence.
		"-o", "ForwardAgent=no", "-o", "ForwardX11=no",
	)
}

// inProxy quotes a word of a ProxyCommand, which a shell runs. The ssh of Windows starts the program without a shell,
// and its old versions do not accept unnecessary quotes (github.com/coder/coder/issues/2853). A path of Windows cannot
// have quotes.
func (c Command) inProxy(word string) string {
	if c.System != windows {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	if word = slashes(word); strings.ContainsAny(word, " \t") {
		return `"` + word + `"`
	}
	return word
}

// inConfig quotes a path in an option of ssh, which parses quotes and expands % and a leading ~.
func (c Command) inConfig(path string) string {
	if c.System == windows {
		path = slashes(path)
	}
	return `"` + strings.ReplaceAll(path, "%", "%%") + `"`
}

const windows = "windows"

// slashes converts a path of Windows into a form that every program accepts. A shell, which the ssh of Git for Windows
// calls, and ssh's own parser treat a backslash as an escape.
func slashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }
