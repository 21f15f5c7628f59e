// Command argocd is what the sandbox runs of Argo CD, under the name that it is called by: the application controller,
// the ApplicationSet controller and the repository server of the vendor's own module, the kustomize that the repository
// server calls, and a redis in memory.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"
	appcontroller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
	kustomize "sigs.k8s.io/kustomize/kustomize/v5/commands"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"argocd-application-controller":    appcontroller.NewCommand,
		"argocd-applicationset-controller": applicationset.NewCommand,
		"argocd-repo-server":               reposerver.NewCommand,
		"kustomize":                        kustomize.NewDefaultCommand,
		"redis":                            redis,
	}
	name := filepath.Base(os.Args[0])
	command, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "this program is called by one of the names of its parts, not by %q\n", name)
		os.Exit(2)
	}
	if err := command().Execute(); err != nil {
		os.Exit(1)
	}
}

// redis serves until it is told to end. It keeps nothing.
func redis() *cobra.Command {
	var address string
	c := &cobra.Command{Use: "redis", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		server := miniredis.NewMiniRedis()
		if err := server.StartAddr(address); err != nil {
			return err
		}
		defer server.Close()
		fmt.Fprintln(c.OutOrStdout(), server.Addr())
		age(ctx, server)
		return nil
	}}
	c.Flags().StringVar(&address, "address", "127.0.0.1:0", "address to listen on")
	return c
}

// age lets keys expire, until ctx ends: by itself this redis has no clock. Without it the repository server would never
// look for new commits, since what it knows of branches is kept here.
func age(ctx context.Context, server *miniredis.Miniredis) {
	const tick = 500 * time.Millisecond
	clock := time.NewTicker(tick)
	defer clock.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
			server.FastForward(tick)
		}
	}
}
