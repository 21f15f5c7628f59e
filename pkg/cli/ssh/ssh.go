package ssh

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// New returns the command ssh.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &Flags{}
	var forward []string
	terminal := false
	cmd := &cobra.Command{
		Use:     "ssh NAME [NODE] [-- COMMAND [ARG]...]",
		GroupID: "hosted",
		Short:   "Log in to a worker node of a hosted cluster with your own ssh",
		Long: `ssh runs your own ssh against a worker node of a hosted cluster, as user core. The connection goes through the
API server of the management cluster, to KubeVirt's portforward subresource of the node's VM: no route to the VMs'
network and no virtctl is needed. VMs on an infrastructure cluster are reached through that one's API server. Your ssh
configuration and your agent hold as always; ssh's exit code is hcctl's.

Without NODE it is the first node whose VM runs. The key is that of --identity, else the one that create cluster
--generate-ssh has made if you may read its Secret, else your own. It is written to a file of mode 0600 in a directory
of its own (in XDG_RUNTIME_DIR, else TMPDIR), which is gone when ssh has ended.

Host keys are remembered in hcctl/known_hosts in XDG_STATE_HOME, else in ~/.local/state (Windows: LOCALAPPDATA). A
node is called NODE.NAMESPACE there, NAMESPACE being that of its control plane. A key that has changed is refused.`,
		Example: `  hcctl ssh kv-00
  hcctl ssh kv-00 kv-00-x7k2q -- sudo journalctl -u kubelet
  hcctl ssh kv-00 -L 10250:localhost:10250 --ssh-option ServerAliveInterval=30`,
		Args: func(cmd *cobra.Command, args []string) error {
			named := cmd.ArgsLenAtDash()
			if named < 0 {
				named = len(args)
			}
			if named == 0 {
				return cmdutil.Misuse(cmd, errors.New("which hosted cluster? hcctl ssh NAME [NODE] [-- COMMAND]"))
			}
			if named > 2 {
				return cmdutil.Misuse(cmd, fmt.Errorf("unexpected argument %q: the command comes after --, as in hcctl ssh %s "+
					"%s -- %s", args[2], args[0], args[1], strings.Join(args[2:], " ")))
			}
			return cmdutil.Named(cmd, "hosted cluster", args[:1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			named := cmd.ArgsLenAtDash()
			if named < 0 {
				named = len(args)
			}
			node := ""
			if named == 2 {
				node = args[1]
			}
			s, err := f.Prepare(cmd, a, "ssh", args[0], node)
			if err != nil {
				return err
			}
			var more []string
			for _, way := range forward {
				more = append(more, "-L", way)
			}
			if terminal {
				more = append(more, "-t")
			}
			more = append(more, "--", s.node.Host())
			return s.Run(cmd.Context(), append(more, args[named:]...))
		},
	}
	f.Bind(cmd)
	cmd.Flags().StringArrayVarP(&forward, "local-forward", "L", nil,
		"forward a port of this machine to one that the node reaches, as PORT:HOST:PORT (repeatable)")
	cmd.Flags().BoolVarP(&terminal, "tty", "t", false, "give the command a terminal")
	return cmd
}

// Remote parses an argument of scp that is a file on a node; is reports whether it is one.
func Remote(word string) (node, path string, is bool) {
	node, path, is = strings.Cut(word, ":")
	return node, path, is && !strings.Contains(node, "/")
}
