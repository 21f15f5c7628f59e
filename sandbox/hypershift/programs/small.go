package programs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"
)

// apiPort is where the API servers of hosted clusters listen.
const apiPort = "6443"

const (
	// restartCheck is how soon a started program is looked at again, in case it ended by itself.
	restartCheck = 10 * time.Second
	// pollDelay is the time between two looks at a control plane, for what no watch reports.
	pollDelay = 2 * time.Second
)

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// freePort returns a port that is free now.
func freePort(ctx context.Context) (int, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, errors.Join(fmt.Errorf("find a free port: %s is no TCP address", l.Addr()), l.Close())
	}
	return addr.Port, l.Close()
}
