// Package scp implements hcctl scp.
package scp

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/ssh"
)

// New returns the command scp.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &ssh.Flags{}
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
			s, err := f.Prepare(cmd, a, "scp", args[0], "")
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
				place, err := s.Place(word)
				if err != nil {
					return err
				}
				more = append(more, place)
			}
			return s.Run(cmd.Context(), more)
		},
	}
	f.Bind(cmd)
	cmd.Flags().BoolVarP(&recursive, "recursive", "r", false, "copy directories with all that is in them")
	cmd.Flags().BoolVarP(&legacy, "legacy-protocol", "O", false, "use scp's old protocol, for a node without SFTP")
	return cmd
}

func anyRemote(words []string) bool {
	for _, word := range words {
		if _, _, is := ssh.Remote(word); is {
			return true
		}
	}
	return false
}
