package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// Exit codes for a command that could not be started, as in env(1) and shells.
const (
	ExitNotRunnable = 126
	ExitNotFound    = 127
)

// killDelay is the time between the second signal and SIGKILL. exitDelay is the time between SIGKILL and the end
// of hcctl.
const (
	killDelay = 500 * time.Millisecond
	exitDelay = 300 * time.Millisecond
)

// Listen receives the signals for a running command, until stop is called. It does not receive ignored signals,
// such as SIGHUP under nohup: that would end the ignoring, for the command too.
func Listen() (sent chan os.Signal, stop func()) {
	sent = make(chan os.Signal, 16)
	signal.Notify(sent, slices.DeleteFunc(Forwarded(), signal.Ignored)...)
	return sent, func() { signal.Stop(sent) }
}

// PrivateDirectory returns the directory for a command's private files: the user's runtime directory, which is
// in memory, or else the directory for temporary files.
func PrivateDirectory(ctx context.Context, getenv func(string) string) string {
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && safefile.Private(ctx, dir) {
		return dir
	}
	return os.TempDir()
}

// Find finds a command in PATH. It refuses a program of the current directory: with an empty or relative entry
// of PATH, any user who can write there could choose what runs.
func Find(command string) (string, error) {
	program, err := exec.LookPath(command)
	bare := !strings.ContainsAny(command, `/`+string(filepath.Separator))
	if errors.Is(err, exec.ErrDot) || err == nil && bare && !filepath.IsAbs(program) {
		here := "." + string(filepath.Separator) + program
		return "", cmdutil.WithExit(ExitNotRunnable, cmdutil.WithHint(
			fmt.Errorf("%s is not run: it is %s, found by an entry of PATH that is empty or relative", command, here),
			"if you mean it, write %s; else take that entry out of PATH", here))
	}
	if err != nil {
		return "", notStarted(command, err)
	}
	return program, nil
}

// Run runs a command and forwards signals to it. killDelay after the second signal it kills the command.
func Run(cmd *exec.Cmd, signals <-chan os.Signal) error {
	if err := cmd.Start(); err != nil {
		return notStarted(cmd.Args[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var kill, leave <-chan time.Time
	interrupts := 0
	for {
		select {
		case s := <-signals:
			if terminalSends(s) {
				continue
			}
			_ = cmd.Process.Signal(s) // the command may have ended meanwhile
			if s == os.Interrupt || s == syscall.SIGTERM {
				interrupts++
			}
			if interrupts == 2 {
				kill = time.After(killDelay)
			}
		case <-kill:
			_ = cmd.Process.Kill()
			leave = time.After(exitDelay)
		case <-leave:
			return cmdutil.Ended(cmdutil.ExitInterrupted)
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return cmdutil.Ended(exitOf(exit.ProcessState)) // the command has printed its own messages
			}
			return err
		}
	}
}

func notStarted(name string, err error) error {
	code := ExitNotRunnable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = ExitNotFound
	}
	return cmdutil.WithExit(code, fmt.Errorf("%s cannot be run: %w", name, err))
}
