package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// largestInput limits a file that a flag names, or standard input, in bytes.
const largestInput = 16 << 20

// File reads the file that a flag names; "-" is standard input and "" is nothing. It may be a FIFO, such as a shell's
// <(command), and a signal ends the reading.
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
			return nil, fmt.Errorf("%s: %s", flag, emptyFile(path))
		}
		return c.data, nil
	}
}

func emptyFile(path string) string {
	if path == "-" {
		return "standard input is empty"
	}
	return fmt.Sprintf("the file %s is empty", path)
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

// anotherKubeconfig is the hint for a file that cannot be used.
const anotherKubeconfig = "give another: --kubeconfig FILE, or KUBECONFIG"

// mostOfKubeconfig limits a user's kubeconfig in bytes, because client-go reads whole files.
const mostOfKubeconfig = 32 << 20

// CheckKubeconfigs refuses kubeconfigs that are not regular files or are too large, before client-go opens them.
// client-go would wait for a FIFO and ignore signals.
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
				anotherKubeconfig)
		}
	}
	return nil
}

// badKubeconfig returns why there is no connection to be made of the kubeconfig and the flags. client-go's own error
// may quote a file.
func (a *Factory) badKubeconfig(err error) error {
	for _, path := range KubeconfigFiles(a, "").GetLoadingPrecedence() {
		if _, unread := clientcmd.LoadFromFile(path); unread != nil && !errors.Is(unread, fs.ErrNotExist) {
			var no *fs.PathError
			if errors.As(unread, &no) {
				return WithHint(fmt.Errorf("kubeconfig: %w", unread), anotherKubeconfig)
			}
			return WithHint(fmt.Errorf("kubeconfig %s: not a kubeconfig, which is a YAML document of kind Config", path),
				anotherKubeconfig)
		}
	}
	if path := a.KubeFlags.Kubeconfig; path != "" && errors.Is(err, fs.ErrNotExist) {
		return WithHint(fmt.Errorf("kubeconfig %s: there is no such file", path), anotherKubeconfig)
	}
	hint := "hcctl takes --kubeconfig, --context and KUBECONFIG as kubectl does"
	if cluster := a.KubeFlags.Overrides.Context.Cluster; cluster != "" {
		hint = "--cluster names an entry of the kubeconfig; for a hosted cluster give its name as the argument, or " +
			"--cluster-name " + sanitize.Word(cluster)
	}
	return WithHint(fmt.Errorf("kubeconfig: %w", err), hint)
}

// whyNowhere says which kubeconfig has no cluster.
func (a *Factory) whyNowhere() string {
	if a.KubeFlags.Kubeconfig != "" {
		return "no cluster is in " + a.KubeFlags.Kubeconfig
	}
	files := KubeconfigFiles(a, "").GetEnvVarFiles()
	named := strings.Join(files, string(filepath.ListSeparator))
	switch {
	case named == "":
		return "there is no kubeconfig"
	case slices.ContainsFunc(files, exists):
		return "no cluster is in what KUBECONFIG names: " + named
	}
	return "what KUBECONFIG names does not exist: " + named
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// UnderSudo lets root change files of the user that called sudo, as git does, because the kubeconfig in their home is
// theirs.
func (a *Factory) UnderSudo(ctx context.Context) context.Context {
	uid, err := strconv.ParseUint(a.Getenv("SUDO_UID"), 10, 32)
	if os.Geteuid() != 0 || err != nil {
		return ctx
	}
	return safefile.AlsoOwnedBy(ctx, uint32(uid))
}

// BlameFile adds the line of the file to each problem that does not come from a given flag.
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
	if given != nil && given.Changed(options.FlagOf(problem)) {
		return err
	}
	if located := file.Locate(problem); located != nil {
		return located
	}
	return err
}

// KubeconfigFiles returns the user's kubeconfig files, and which of them kubectl config would write.
func KubeconfigFiles(a *Factory, explicit string) *clientcmd.PathOptions {
	options := clientcmd.NewDefaultPathOptions()
	if options.LoadingRules.ExplicitPath = explicit; explicit == "" {
		options.LoadingRules.ExplicitPath = a.KubeFlags.Kubeconfig
	}
	return options
}
