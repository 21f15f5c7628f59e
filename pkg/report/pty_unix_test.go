//go:build unix

package report

import (
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hcctl/hcctl/pkg/step"
)

// asDisplay makes this test binary a program that shows a run until SIGINT.
const asDisplay = "HCCTL_TEST_DISPLAY"

// TestDisplayProcess is that program: three steps wait, and one of them ends at each SIGUSR1. Its stopwatches stand
// still, so that it writes nothing unless something changes.
func TestDisplayProcess(*testing.T) {
	if os.Getenv(asDisplay) == "" { //nolint:forbidigo // how it is told to be that program
		return // it is a program only for TestDisplayOnATerminal
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGINT)
	l := newManualLive(os.Stdout, ScreenOf(os.Stdout, os.Getenv)) //nolint:forbidigo // it is a program of its own here
	begin := time.Now()
	l.now = func() time.Time { return begin }
	events := stalled()[:3]
	for _, e := range events {
		e.Time = begin
		l.Observe(e)
	}
	go l.run()
	for s := range signals {
		if s == syscall.SIGINT {
			break
		}
		e := events[0]
		events = events[1:]
		e.Phase, e.Result = step.Finished, &step.Result{Step: e.Step, Outcome: step.OutcomeDone, Change: step.Created,
			Elapsed: time.Minute, Finding: step.OK("%s", strings.Repeat("it is there now ", 6))}
		l.Observe(e)
	}
	l.Close()
	os.Exit(0) //nolint:forbidigo // as above
}

// session is a program on a pseudo terminal, and what that shows.
type session struct {
	t      *testing.T
	master *os.File
	mu     sync.Mutex
	screen *virtual
	wrote  chan struct{}
}

func start(t *testing.T, width int, cmd *exec.Cmd) *session {
	t.Helper()
	s := &session{t: t, screen: newVirtual(t, width, 30), wrote: make(chan struct{}, 1)}
	cmd.Env = append(os.Environ(), //nolint:forbidigo // the program runs in that of the test
		asDisplay+"=1", "CI=", "NO_COLOR=", "TERM=xterm", "PS1=prompt> ", "ENV=")
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: uint16(width)})
	if err != nil {
		t.Fatal(err)
	}
	s.master = master
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = master.Close()
	})
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			if err != nil {
				return // how a pseudo terminal without a program ends
			}
			s.mu.Lock()
			s.screen.raw(buffer[:n])
			s.mu.Unlock()
			select {
			case s.wrote <- struct{}{}:
			default:
			}
		}
	}()
	return s
}

// until waits until the screen is as it should be, and fails the test with the screen otherwise.
func (s *session) until(what string, holds func(lines []string) bool) {
	s.t.Helper()
	late := time.After(time.Minute)
	for {
		s.mu.Lock()
		lines, below := s.screen.lines(), s.screen.below()
		s.mu.Unlock()
		if holds(append(lines, below)) {
			return
		}
		select {
		case <-s.wrote:
		case <-late:
			s.t.Fatalf("%s did not come:\n%s\n%s", what, strings.Join(lines, "\n"), below)
		}
	}
}

// resize changes the width of the terminal and of what it shows at once. The program writes only what has changed, so
// nothing is on its way.
func (s *session) resize(width int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.screen.resize(width)
	if err := pty.Setsize(s.master, &pty.Winsize{Rows: 30, Cols: uint16(width)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) press(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// rows returns the rows of the display among lines, by their mark.
func rows(lines []string) []string {
	var found []string
	for _, line := range lines {
		if strings.HasPrefix(line, " … ") {
			found = append(found, line)
		}
	}
	return found
}

func display(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, "-test.run=^TestDisplayProcess$"}
}

// TestDisplayOnATerminalOfAnotherWidth: each row stands once, as wide as the terminal, whatever it was before, and the
// finished line above stays. Below the rows there is nothing.
func TestDisplayOnATerminalOfAnotherWidth(t *testing.T) {
	args := display(t)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	s := start(t, 150, cmd)
	s.until("three rows", func(lines []string) bool { return len(rows(lines)) == 3 })
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	finished := func(lines []string) bool { return strings.HasPrefix(lines[0], " ✓ cluster/endpoint") }
	s.until("a finished line and two rows", func(lines []string) bool {
		return len(lines) == 4 && finished(lines) && len(rows(lines)) == 2
	})
	for _, width := range []int{60, 100, 45, 200} {
		s.resize(width)
		want := 1 + 2 + 1 // the finished line, which the terminal wraps by itself, two rows, and what is below
		s.until("the rows in another width", func(lines []string) bool {
			above := 0
			for above < len(lines) && !strings.HasPrefix(lines[above], " … ") {
				above++
			}
			mine := rows(lines)
			return finished(lines) && len(lines)-above+1 == want && len(mine) == 2 && lines[len(lines)-1] == "" &&
				cells(mine[1]) < width && cells(mine[1]) > min(width-25, 80)
		})
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	s.until("the end without rows", func(lines []string) bool { return finished(lines) && len(rows(lines)) == 0 })
}

// TestEnterLeavesNoLine: while a display is on the screen nothing that is typed is. Afterwards it is again.
func TestEnterLeavesNoLine(t *testing.T) {
	args := display(t)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	s := start(t, 100, cmd)
	s.until("three rows", func(lines []string) bool { return len(rows(lines)) == 3 })
	for end := time.Now().Add(time.Minute); echoes(t, s.master); {
		if time.Now().After(end) {
			t.Fatal("what is typed is still shown")
		}
	}
	s.press("x\n\n")
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	s.until("a finished line and two rows", func(lines []string) bool {
		return len(lines) == 4 && strings.HasPrefix(lines[0], " ✓ cluster/endpoint") && len(rows(lines)) == 2 && lines[3] == ""
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	s.until("the end", func(lines []string) bool { return len(rows(lines)) == 0 })
	if !echoes(t, s.master) {
		t.Error("nothing that is typed is shown after the end")
	}
}

// echoes reports whether the terminal shows what is typed.
func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), getTermios)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// TestDisplayIsStoppedAndGoesOn: after Ctrl-Z the shell has the terminal, without any row; after fg each row stands
// once, below what the shell has said.
func TestDisplayIsStoppedAndGoesOn(t *testing.T) {
	s := start(t, 100, exec.CommandContext(t.Context(), "sh", "-i"))
	prompt := func(lines []string) bool { return strings.HasSuffix(strings.TrimSpace(lines[len(lines)-1]), "prompt>") }
	s.until("a prompt", prompt)
	s.press("'" + strings.Join(display(t), "' '") + "'\n")
	s.until("three rows", func(lines []string) bool { return len(rows(lines)) == 3 && lines[len(lines)-1] == "" })
	for range 2 {
		s.press("\x1a")
		s.until("a prompt without rows", func(lines []string) bool {
			return prompt(lines) && len(rows(lines)) == 0 && strings.Contains(strings.Join(lines, "\n"), "Stopped")
		})
		s.press("fg\n")
		s.until("three rows again", func(lines []string) bool {
			return len(rows(lines)) == 3 && len(rows(lines[len(lines)-4:])) == 3 && lines[len(lines)-1] == ""
		})
	}
	s.press("\x03")
	s.until("the prompt, and no row", func(lines []string) bool { return prompt(lines) && len(rows(lines)) == 0 })
}
