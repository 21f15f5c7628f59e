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
}

// Arguments are those of ssh and scp alike. The user's own configuration holds beside them.
func (c Command) Arguments() []string {
	var args []string
	for _, option := range c.Options {
		args = append(args, "-o", option) // of an option that is given twice, ssh takes the first
	}
	if c.Identity != "" {
		args = append(args, "-o", "IdentityFile="+inConfig(c.Identity), "-o", "IdentitiesOnly=yes")
	}
	words := make([]string, 0, len(c.Proxy))
	for _, word := range c.Proxy {
		words = append(words, inShell(strings.ReplaceAll(word, "%", "%%")))
	}
	return append(args,
		"-o", "ProxyCommand="+strings.Join(words, " ")+" %h %p",
		"-o", "UserKnownHostsFile="+inConfig(c.KnownHosts),
		// The API server has vouched for the first connection; a key that changes is refused.
		"-o", "StrictHostKeyChecking=accept-new",
	)
}

// inShell is a word for the shell that runs a ProxyCommand.
func inShell(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// inConfig is a path in an option of ssh, which knows quotes and expands % and leading ~.
func inConfig(path string) string { return `"` + strings.ReplaceAll(path, "%", "%%") + `"` }
