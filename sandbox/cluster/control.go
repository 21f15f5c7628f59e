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

// controlTimeout is the time that a client has to send its order.
const controlTimeout = 5 * time.Second

// Controls lists the orders of a running sandbox with their descriptions. Each order returns when it is done.
func Controls() [][2]string {
	return [][2]string{
		{"api-down", "kill the API server with -9 and leave it down"},
		{"api-up", "restart a killed API server at the same address, with all data, and wait until it is ready"},
		{"api-restart", "kill the API server with -9 and restart it at once"},
		{"compact", "compact etcd up to now: lists and watches from older versions get 410 Gone"},
		{"registry-down", "let the vendor's HyperShift reach no registry; what it has read before it still has"},
		{"registry-up", "let it reach the registries again"},
	}
}

// Control sends an order to the sandbox that runs in the directory dir.
func Control(ctx context.Context, dir, order string) error {
	if !slices.ContainsFunc(Controls(), func(c [2]string) bool { return c[0] == order }) {
		return fmt.Errorf("there is no order %q", order)
	}
	at, err := atDirectory(filepath.Join(dir, "run"))
	if err != nil {
		return fmt.Errorf("no sandbox runs in %s: %w", dir, plain(err))
	}
	defer at.close()
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", at.socket())
	if err != nil {
		return fmt.Errorf("no sandbox accepts orders in %s: is it ready?", dir)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer conn.Close() //nolint:errcheck // the answer is what counts
	if _, err := fmt.Fprintln(conn, order); err != nil {
		return fmt.Errorf("ask the sandbox in %s: %w", dir, err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the sandbox in %s ended before it had done %s: its last lines, and %s, say why", dir, order,
			filepath.Join(dir, "logs", ownLog))
	}
	if answer = strings.TrimSpace(answer); answer != "ok" {
		return errors.New(answer)
	}
	return nil
}

// listenControl executes orders one after another until the sandbox ends.
func (s *Sandbox) listenControl() error {
	at, err := atDirectory(s.dir.Run())
	if err != nil {
		return fmt.Errorf("listen for orders: %w", err)
	}
	defer at.close()
	l, err := (&net.ListenConfig{}).Listen(s.life, "unix", at.socket())
	if err != nil {
		return fmt.Errorf("listen for orders: %w", err)
	}
	// The sandbox removes the directory later; the path through at is closed by then.
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	s.runInBackground("orders", func(ctx context.Context) error {
		defer context.AfterFunc(ctx, func() { _ = l.Close() })()
		for {
			conn, err := l.Accept()
			if err != nil {
				return err
			}
			s.execute(ctx, conn)
		}
	})
	return nil
}

// execute runs one order and answers with its result.
func (s *Sandbox) execute(ctx context.Context, conn net.Conn) {
	defer conn.Close() //nolint:errcheck // the client has its answer or has disconnected
	_ = conn.SetReadDeadline(time.Now().Add(controlTimeout))
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
		return s.downAPI(ctx, s.api.Kill)
	case "api-up":
		return s.upAPI(ctx)
	case "api-restart":
		if err := s.downAPI(ctx, s.api.Kill); err != nil {
			return err
		}
		return s.upAPI(ctx)
	case "compact":
		return s.db.Compact(ctx)
	case "registry-down", "registry-up":
		if !s.opts.RealHyperShift {
			return errors.New("only the vendor's own HyperShift has a registry: start the sandbox with --profile real")
		}
		s.registryAway.Store(order == "registry-down")
		return nil
	default:
		return fmt.Errorf("there is no order %q", order)
	}
}

// downAPI ends the API server by stop, and returns when it has ended.
func (s *Sandbox) downAPI(ctx context.Context, stop func()) error {
	s.apiOrder.Lock()
	defer s.apiOrder.Unlock()
	if s.apiDown {
		return errors.New("the API server is down already")
	}
	s.apiDown = true
	stop()
	select {
	case <-s.api.Done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// upAPI restarts an API server that is down, and returns once it is ready.
func (s *Sandbox) upAPI(ctx context.Context) error {
	s.apiOrder.Lock()
	defer s.apiOrder.Unlock()
	if !s.apiDown {
		return errors.New("the API server is not down")
	}
	if err := s.api.Restart(); err != nil {
		return err
	}
	s.apiDown = false
	return s.api.WaitReady(ctx)
}

// openDirectory is an open directory. A socket path through its descriptor stays below the limit of about a hundred
// characters.
type openDirectory struct{ file *os.File }

func atDirectory(path string) (openDirectory, error) {
	f, err := os.Open(path) // #nosec G304 -- the sandbox's own directory
	return openDirectory{f}, err
}

func (f openDirectory) socket() string { return fmt.Sprintf("/proc/self/fd/%d/control", f.file.Fd()) }

func (f openDirectory) close() { _ = f.file.Close() }
