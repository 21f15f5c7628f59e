// Package serial opens the serial console of a worker VM on the terminal.
package serial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/ssh"
)

// escape is Ctrl-], which ends a console as in virtctl.
const escape = 0x1d

// Open connects the terminal to the serial console of a node's VM until the user types Ctrl-], or the console
// ends.
func Open(ctx context.Context, a *cmdutil.Factory, namespace, cluster, name string) error {
	t, err := a.Connection.Dial()
	if err != nil {
		return err
	}
	site, err := ssh.Site(ctx, t.Client, namespace, cluster)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	nodes, err := ssh.Nodes(ctx, site)
	if err != nil {
		return t.Clarify(ctx, err)
	}
	node, err := ssh.Choose(nodes, namespace+"/"+cluster, name)
	if err != nil {
		return err
	}
	if !node.Running {
		return NotRunning(node, cluster)
	}
	stream, err := site.Dial(ctx, t.Config(), node.Name, "console")
	if err != nil {
		return t.Clarify(ctx, err)
	}
	defer func() { _ = stream.Close() }()
	w := a.Streams.Out
	in, out := a.Streams.In, io.Writer(plain{w})
	if cmdutil.IsTerminal(a.Streams.Out) {
		out = sanitize.Unwrap(a.Streams.Out) // the machine controls the terminal, as it does its own screen
	}
	if terminal, is := a.Streams.Terminal(); is {
		cmdutil.Tell(a.Streams.Err, "Serial console of node %s. Ctrl-] leaves it; Enter shows what it waits for.\n",
			node.Name)
		restore, err := raw(terminal)
		if err != nil {
			return err
		}
		defer restore()
	}
	return attend(ctx, stream, in, out)
}

// NotRunning returns the error for a node that cannot be reached because its VM does not run.
func NotRunning(node ssh.Node, cluster string) error {
	return cmdutil.WithHint(fmt.Errorf("the VM of node %s does not run", node.Name),
		"%s says why", hint.Run("status", cluster))
}

// raw makes a terminal pass on every key, and returns the function that undoes it.
func raw(terminal *os.File) (func(), error) {
	before, err := term.MakeRaw(int(terminal.Fd()))
	if err != nil {
		return nil, fmt.Errorf("set the terminal to raw mode: %w", err)
	}
	return func() { _ = term.Restore(int(terminal.Fd()), before) }, nil
}

// errLeft means that the user has typed the escape.
var errLeft = errors.New("left")

// attend copies bytes between a console and a user until one of them ends it. The end of the input does not end
// the console: the machine continues to print.
func attend(ctx context.Context, console io.ReadWriter, in io.Reader, out io.Writer) error {
	ended := make(chan error, 2)
	go func() {
		if err := keys(console, in); err != nil { // it ends with the program: a read of a terminal cannot be cancelled
			ended <- err
		}
	}()
	go func() {
		_, err := io.Copy(out, console)
		ended <- err
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errLeft):
		return nil
	case err != nil:
		return fmt.Errorf("serial console: %w", err)
	}
	return errors.New("the serial console was closed: the VM has ended, or somebody else has opened its console")
}

// keys copies the typed bytes to the console, up to the escape.
func keys(console io.Writer, in io.Reader) error {
	typed := make([]byte, 1024)
	for {
		n, err := in.Read(typed)
		before, _, left := bytes.Cut(typed[:n], []byte{escape})
		if len(before) > 0 {
			if _, err := console.Write(before); err != nil {
				return err
			}
		}
		switch {
		case left:
			return errLeft
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// plain removes the carriage returns that end the lines of a console, and makes other control characters
// visible.
type plain struct{ to io.Writer }

// Write implements io.Writer.
func (w plain) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, sanitize.Text(strings.ReplaceAll(string(p), "\r", ""))); err != nil {
		return 0, err
	}
	return len(p), nil
}
