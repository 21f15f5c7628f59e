package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// controlTime is how long whoever asks may take to say what for.
const controlTime = 5 * time.Second

// Controls are the orders that a running sandbox takes, each with what it does. All return when it is done.
func Controls() [][2]string {
	return [][2]string{
		{"api-down", "kill the API server with -9 and leave it away"},
		{"api-up", "bring the API server back at the same address, with all data, and wait until it is ready"},
		{"api-restart", "kill the API server with -9 and bring it back at once"},
		{"compact", "compact etcd up to now: lists and watches from older versions get 410 Gone"},
	}
}

// Control has the sandbox that runs in the folder do one of Controls.
func Control(ctx context.Context, dir, order string) error {
	if !slices.ContainsFunc(Controls(), func(c [2]string) bool { return c[0] == order }) {
		return fmt.Errorf("there is no order %q", order)
	}
	at, err := atFolder(filepath.Join(dir, "run"))
	if err != nil {
		return fmt.Errorf("no sandbox runs in %s: %w", dir, plain(err))
	}
	defer at.close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", at.socket())
	if err != nil {
		return fmt.Errorf("no sandbox takes orders in %s: is it ready?", dir)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close() //nolint:errcheck // the answer is what counts
	if _, err := fmt.Fprintln(conn, order); err != nil {
		return fmt.Errorf("ask the sandbox in %s: %w", dir, err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the sandbox in %s ended before it had done %s", dir, order)
	}
	if answer = strings.TrimSpace(answer); answer != "ok" {
		return errors.New(answer)
	}
	return nil
}

// listenControl takes orders until the sandbox ends, one after the other.
func (s *Sandbox) listenControl() error {
	at, err := atFolder(s.dir.Run())
	if err != nil {
		return fmt.Errorf("listen for orders: %w", err)
	}
	defer at.close()
	l, err := (&net.ListenConfig{}).Listen(s.life, "unix", at.socket())
	if err != nil {
		return fmt.Errorf("listen for orders: %w", err)
	}
	// The folder goes with the sandbox; at, which the path goes through, is closed by then.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	s.keep("orders", func(ctx context.Context) error {
		defer context.AfterFunc(ctx, func() { _ = l.Close() })()
		for {
			conn, err := l.Accept()
			if err != nil {
				return err
			}
			s.obey(ctx, conn)
		}
	})
	return nil
}

// obey does one order and says how that ended.
func (s *Sandbox) obey(ctx context.Context, conn net.Conn) {
	defer conn.Close() //nolint:errcheck // who asks has the answer, or is gone
	_ = conn.SetReadDeadline(time.Now().Add(controlTime))
	order, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	order = strings.TrimSpace(order)
	s.log.Info("order", "order", order)
	answer := "ok"
	if err := s.do(ctx, order); err != nil {
		answer = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	_, _ = fmt.Fprintln(conn, answer)
}

func (s *Sandbox) do(ctx context.Context, order string) error {
	switch order {
	case "api-down":
		return s.killAPI(ctx)
	case "api-up":
		return s.upAPI(ctx)
	case "api-restart":
		if err := s.killAPI(ctx); err != nil {
			return err
		}
		return s.upAPI(ctx)
	case "compact":
		return s.db.Compact(ctx)
	default:
		return fmt.Errorf("there is no order %q", order)
	}
}

// killAPI ends the API server without a chance to say goodbye.
func (s *Sandbox) killAPI(ctx context.Context) error {
	if s.away.Swap(true) {
		return errors.New("the API server is away already")
	}
	s.procs.Kill(labelAPIServer)
	select {
	case <-s.api.Done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// upAPI brings back an API server that is away, and returns once it is ready.
func (s *Sandbox) upAPI(ctx context.Context) error {
	if !s.away.Load() {
		return errors.New("the API server is not away")
	}
	if err := s.api.Restart(ctx); err != nil {
		return err
	}
	s.guardAPI()
	s.away.Store(false)
	return s.api.WaitReady(ctx)
}

// folder is an open folder, by which a socket in it can be named however long its path is: a socket's may have a
// hundred characters.
type folder struct{ file *os.File }

func atFolder(path string) (folder, error) {
	f, err := os.Open(path) // #nosec G304 -- the sandbox's own folder
	return folder{f}, err
}

func (f folder) socket() string { return fmt.Sprintf("/proc/self/fd/%d/control", f.file.Fd()) }

func (f folder) close() { _ = f.file.Close() }
