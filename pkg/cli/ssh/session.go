package ssh

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/program"
	"github.com/hcctl/hcctl/pkg/cli/internal/serial"
	"github.com/hcctl/hcctl/pkg/hostedcluster/ssh"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// Flags are the flags that ssh and scp share.
type Flags struct {
	identity, user string
	options        []string
}

// Bind adds the flags to a command.
func (f *Flags) Bind(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.identity, "identity", "i", "", "file with the private key, instead of the one that "+
		"--generate-ssh has made, or yours")
	cmd.Flags().StringVarP(&f.user, "login", "l", ssh.User, "user on the node")
	cmd.Flags().StringArrayVar(&f.options, "ssh-option", nil, "further option, as KEY=VALUE as in ssh_config (repeatable)")
	_ = cmd.MarkFlagFilename("identity")
}

// Session is one run of ssh or scp.
type Session struct {
	a *cmdutil.Factory
	// tool is ssh or scp, program its path.
	tool, program string

	cluster string
	user    string
	nodes   []ssh.Node
	node    ssh.Node
	command ssh.Command
	// key is a generated private key. It is written to a file while the program runs.
	key []byte
	// connection has the connection flags of this call, for ssh-proxy.
	connection string
}

// Prepare finds the node, the key and the program.
func (f *Flags) Prepare(cmd *cobra.Command, a *cmdutil.Factory, name, cluster, node string) (*Session, error) {
	ctx := cmd.Context()
	path, err := program.Find(name)
	if err != nil {
		return nil, err
	}
	if f.identity != "" {
		if err := safefile.Regular(f.identity); err != nil {
			return nil, cmdutil.Misuse(cmd, fmt.Errorf("--identity: %w", err))
		}
		if _, err := os.Stat(f.identity); err != nil {
			return nil, cmdutil.Misuse(cmd, fmt.Errorf("--identity: %w", err))
		}
	}
	known, err := knownHosts(a)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find hcctl itself: %w", err)
	}
	t, err := a.Connection.Dial()
	if err != nil {
		return nil, err
	}
	namespace := cmdutil.ClustersNamespace(a.Call)
	s := &Session{a: a, tool: name, program: path, cluster: namespace + "/" + cluster, user: f.user,
		command: ssh.Command{Proxy: []string{self, proxyCommand}, KnownHosts: known, Identity: f.identity,
			Options: f.options, System: runtime.GOOS}}
	site, err := ssh.Site(ctx, t.Client, namespace, cluster)
	if err != nil {
		return nil, t.Clarify(ctx, err)
	}
	if s.nodes, err = ssh.Nodes(ctx, site); err != nil {
		return nil, t.Clarify(ctx, err)
	}
	if site.Cluster != nil {
		s.command.Proxy = append(s.command.Proxy, "--"+ofFlag+"="+s.cluster)
	}
	if s.node, err = ssh.Choose(s.nodes, s.cluster, node); err != nil {
		return nil, err
	}
	if !s.node.Running {
		return nil, serial.NotRunning(s.node, cluster)
	}
	if f.identity == "" {
		var keyless bool
		if s.key, keyless, err = ssh.GeneratedKey(ctx, t.Client, namespace, cluster); err != nil {
			return nil, err
		}
		if keyless {
			a.Notices.Warn(fmt.Sprintf("hosted cluster %s was created without an SSH key: its nodes let only those in whose "+
				"keys a machine configuration has", s.cluster), hint.New("%s or %s gives the nodes of a new cluster one",
				hint.Run("create cluster").Flag("ssh-key", "FILE"), hint.Run("create cluster").Flag("generate-ssh")))
		}
	}
	if node == "" && len(s.nodes) > 1 {
		cmdutil.Tell(a.Streams.Err, "Node %s, one of %d.\n", s.node.Name, len(s.nodes))
	}
	s.connection, err = connectionOf(cmd)
	return s, err
}

// Place converts an argument of hcctl scp to the form that the user's own scp takes.
func (s *Session) Place(word string) (string, error) {
	name, path, is := Remote(word)
	if !is {
		return word, nil
	}
	node := s.node
	if name != "" {
		var err error
		if node, err = ssh.Choose(s.nodes, s.cluster, name); err != nil {
			return "", err
		}
	}
	return s.user + "@" + node.Host() + ":" + path, nil
}

// Run runs the program with the arguments that lead to the nodes, followed by more.
func (s *Session) Run(ctx context.Context, more []string) error {
	sent, stop := program.Listen()
	defer stop()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(s.key) > 0 {
		path, remove, err := kubeconfig.WritePrivate(ctx, program.PrivateDirectory(ctx, s.a.Getenv), s.key)
		if err != nil {
			return fmt.Errorf("write the key for ssh: %w", err)
		}
		defer remove()
		s.command.Identity = path
	}
	back, ok := cmdutil.TakeSignals(ctx)
	if !ok {
		return context.Canceled
	}
	defer back()
	args := append([]string{filepath.Base(s.program)}, s.command.Arguments()...)
	if s.tool == "ssh" {
		args = append(args, "-l", s.user)
	}
	return program.Run(&exec.Cmd{
		Path: s.program, Args: append(args, more...), Stdin: s.a.Streams.In, Stdout: sanitize.Unwrap(s.a.Streams.Out),
		Stderr: sanitize.Unwrap(s.a.Streams.Err), Env: append(os.Environ(), connectionVariable+"="+s.connection),
	}, sent)
}

// knownHosts returns hcctl's own file for host keys, and creates its directory.
func knownHosts(a *cmdutil.Factory) (string, error) {
	state, err := stateDirectory(runtime.GOOS, a.Getenv)
	if err != nil {
		return "", err
	}
	directory := filepath.Join(state, "hcctl")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return "", fmt.Errorf("make the directory for host keys: %w", err)
	}
	return filepath.Join(directory, "known_hosts"), nil
}

// stateDirectory returns the directory for the state of a user's programs: XDG_STATE_HOME, else ~/.local/state,
// and on Windows LOCALAPPDATA.
func stateDirectory(system string, getenv func(string) string) (string, error) {
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return state, nil
	}
	variable, below := "HOME", filepath.Join(".local", "state")
	if system == "windows" {
		variable, below = "LOCALAPPDATA", ""
	}
	home := getenv(variable)
	if home == "" {
		return "", errors.New("no place to remember host keys: set " + variable + " or XDG_STATE_HOME")
	}
	return filepath.Join(home, below), nil
}
