package ssh

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// NewSSH returns the command ssh.
func NewSSH(a *cmdutil.Factory) *cobra.Command {
	f := &flags{}
	var forward []string
	terminal := false
	cmd := &cobra.Command{
		Use:     "ssh NAME [NODE] [-- COMMAND [ARG]...]",
		GroupID: "hosted",
		Short:   "Log in to a worker node of a hosted cluster with your own ssh",
		Long: `ssh runs your own ssh against a worker node of a hosted cluster, as user core. The connection goes through the
API server of the management cluster, to KubeVirt's portforward subresource of the node's VM: no route to the VMs'
network and no virtctl is needed. Your ssh configuration and your agent hold as always; ssh's exit code is hcctl's.

Without NODE it is the first node whose VM runs. The key is that of --identity, else the one that create cluster
--generate-ssh has made if you may read its Secret, else your own. It is written to a file of mode 0600 in a folder of
its own (in XDG_RUNTIME_DIR, else TMPDIR), which is gone when ssh has ended.

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
			s, err := f.prepare(cmd, a, "ssh", args[0], node)
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
			return s.run(cmd.Context(), append(more, args[named:]...))
		},
	}
	f.bind(cmd)
	cmd.Flags().StringArrayVarP(&forward, "local-forward", "L", nil,
		"forward a port of this machine to one that the node reaches, as PORT:HOST:PORT (repeatable)")
	cmd.Flags().BoolVarP(&terminal, "tty", "t", false, "give the command a terminal")
	return cmd
}

// NewSCP returns the command scp.
func NewSCP(a *cmdutil.Factory) *cobra.Command {
	f := &flags{}
	recursive, legacy := false, false
	cmd := &cobra.Command{
		Use:     "scp NAME SOURCE... TARGET",
		GroupID: "hosted",
		Short:   "Copy files to and from a worker node of a hosted cluster with your own scp",
		Long: `scp runs your own scp between this machine and the worker nodes of a hosted cluster. NODE:PATH is a file on a
node, :PATH one on the first node whose VM runs, and all else a file here. It gets there, and finds its key, as
hcctl ssh does.`,
		Example: `  hcctl scp kv-00 ./agent :/tmp/agent
  hcctl scp kv-00 -r kv-00-x7k2q:/var/log/pods ./pods`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 3 {
				return cmdutil.Misuse(cmd, errors.New("what is to be copied? hcctl scp NAME SOURCE... TARGET"))
			}
			if !anyRemote(args[1:]) {
				return cmdutil.Misuse(cmd, errors.New("neither source nor target is on a node: write NODE:PATH, or :PATH for "+
					"the first node"))
			}
			return cmdutil.Named(cmd, "hosted cluster", args[:1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := f.prepare(cmd, a, "scp", args[0], "")
			if err != nil {
				return err
			}
			var more []string
			if recursive {
				more = append(more, "-r")
			}
			if legacy {
				more = append(more, "-O")
			}
			more = append(more, "--")
			for _, word := range args[1:] {
				place, err := s.place(word)
				if err != nil {
					return err
				}
				more = append(more, place)
			}
			return s.run(cmd.Context(), more)
		},
	}
	f.bind(cmd)
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false, "copy folders with all that is in them")
	cmd.Flags().BoolVarP(&legacy, "legacy-protocol", "O", false, "use scp's old protocol, for a node without SFTP")
	return cmd
}

// remote is a word of scp that is a file on a node.
func remote(word string) (node, path string, is bool) {
	node, path, is = strings.Cut(word, ":")
	return node, path, is && !strings.Contains(node, "/")
}

func anyRemote(words []string) bool {
	for _, word := range words {
		if _, _, is := remote(word); is {
			return true
		}
	}
	return false
}
