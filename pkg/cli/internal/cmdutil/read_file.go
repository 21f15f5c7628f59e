package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// largestInput is the size, in bytes, of a file that a flag names, or of standard input.
const largestInput = 16 << 20

// File reads the file a flag names; "-" is standard input and "" nothing. It may be a FIFO, such as a shell's
// <(command); a signal ends the waiting for it.
func (a *Factory) File(flag, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	type content struct {
		data []byte
		err  error
	}
	whole := make(chan content, 1)
	go func() {
		data, err := a.readInput(path)
		whole <- content{data, err}
	}()
	select {
	case <-a.Interrupted:
		a.GaveUp = true
		return nil, context.Canceled
	case c := <-whole:
		switch {
		case c.err != nil:
			return nil, fmt.Errorf("%s: cannot read it: %w", flag, c.err)
		case len(c.data) == 0:
			return nil, fmt.Errorf("%s: %s is empty", flag, path)
		}
		return c.data, nil
	}
}

func (a *Factory) readInput(path string) ([]byte, error) {
	in, name := a.Streams.In, "standard input"
	if path != "-" {
		name = path
		f, err := os.Open(path) //nolint:gosec // the user names the file
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, largestInput+1))
	if err == nil && len(data) > largestInput {
		err = fmt.Errorf("%s has more than %d MiB", name, largestInput>>20)
	}
	return data, err
}

// mostOfKubeconfig bounds a kubeconfig of the user's, in bytes: client-go reads files to their end.
const mostOfKubeconfig = 32 << 20

// CheckKubeconfigs refuses kubeconfigs that are no regular files, or far too large, before client-go opens them: it
// would wait for a FIFO, whatever signals come.
func (a *Factory) CheckKubeconfigs() error {
	for _, path := range KubeconfigFiles(a, "").GetLoadingPrecedence() {
		err := safefile.Regular(path)
		var unsafe *safefile.Error
		if errors.As(err, &unsafe) {
			return WithHint(fmt.Errorf("kubeconfig: %w", err),
				"write it to a regular file, and give that with --kubeconfig or KUBECONFIG")
		}
		if info, err := os.Stat(path); err == nil && info.Size() > mostOfKubeconfig {
			return WithHint(fmt.Errorf("kubeconfig %s has more than %d MiB", path, mostOfKubeconfig>>20),
				"give another: --kubeconfig FILE, or KUBECONFIG")
		}
	}
	return nil
}

// UnderSudo lets root change files of the user that called sudo, as git does: the kubeconfig in their home is theirs.
func (a *Factory) UnderSudo(ctx context.Context) context.Context {
	uid, err := strconv.ParseUint(a.Getenv("SUDO_UID"), 10, 32)
	if os.Geteuid() != 0 || err != nil {
		return ctx
	}
	return safefile.AlsoOwnedBy(ctx, uint32(uid))
}

// BlameFile names the line of the file of each problem that is not of a flag that was given.
func BlameFile(err error, file *config.Cluster, given *pflag.FlagSet) error {
	if joined, many := err.(interface{ Unwrap() []error }); many {
		var errs []error
		for _, one := range joined.Unwrap() {
			errs = append(errs, BlameFile(one, file, given))
		}
		return errors.Join(errs...)
	}
	var problem *options.Error
	if file == nil || !errors.As(err, &problem) {
		return err
	}
	flag := problem.Flag
	if problem.Pool != nil {
		flag = options.ClusterFlag(flag)
	}
	if given != nil && given.Changed(flag) {
		return err
	}
	if located := file.Locate(problem); located != nil {
		return located
	}
	return err
}

// KubeconfigFiles says which files are the user's kubeconfig, and which of them kubectl config would write.
func KubeconfigFiles(a *Factory, explicit string) *clientcmd.PathOptions {
	options := clientcmd.NewDefaultPathOptions()
	if options.LoadingRules.ExplicitPath = explicit; explicit == "" {
		options.LoadingRules.ExplicitPath = a.KubeFlags.Kubeconfig
	}
	return options
}
