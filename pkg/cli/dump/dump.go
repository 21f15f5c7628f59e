// Package dump implements hcctl dump.
package dump

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/dump"
	"github.com/hcctl/hcctl/pkg/step"
)

// dumpFlags are the flags of dump.
type dumpFlags struct {
	dump.Options
	artifactDir, outputFile, logBytes, guestLogBytes, output string
	archive                                                  bool
	timeout                                                  time.Duration
}

// New returns the command dump.
func New(a *cmdutil.Factory) *cobra.Command {
	f := dumpFlags{Options: dump.Defaults(), artifactDir: ".", logBytes: "5Mi", guestLogBytes: "128Mi", archive: true,
		timeout: 10 * time.Minute}
	cmd := &cobra.Command{
		Use:     "dump NAME",
		GroupID: "hosted",
		Short:   "Gather everything about the state of a hosted cluster into one archive",
		Long: `dump gathers what is needed to find out later, or elsewhere, what is wrong with a hosted cluster: its objects
and everything in the control plane's namespace, conditions, events, logs, its VMs and their serial consoles, what the
hosted cluster's own API reports with the logs of its pods and the journals of its nodes, and the operators,
addresses, storage and virtualization that it depends on. Logs of what is not well come first. It works for a cluster
that does not answer, for one whose HostedCluster is gone, and for a user with few permissions. A hosted cluster whose
address does not answer is reached through the management cluster (--through-management).

Secrets are left out: their content is replaced by its size, and everything that looks like a secret by its form or
name, or that is in one of the Secrets, is removed from the other files too. Still, look at it before you send it to
others.

The path of the archive is printed on stdout. What could not be read is listed in it with the reason, and whether this
user may not read it (not-read.json); the exit code is then 3, or 4 after a timeout. With 1 there is no archive.
https://github.com/hcctl/hcctl/blob/main/docs/dump.md explains what is where.`,
		Example: `  hcctl dump kv-00
  hcctl dump kv-00 --artifact-dir /tmp/dumps --timeout 5m
  hcctl dump kv-00 --output-file kv-00.tar.gz --dump-guest-cluster=false
  hcctl dump kv-00 --artifact-dir out --archive-dump=false --log-bytes 0
  hcctl dump ci-4711 --secrets=false --artifact-dir results`,
		Args: cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			f.Namespace, f.Name = cmdutil.ClustersNamespace(a.Call), args[0]
			return runDump(cmd.Context(), a, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.artifactDir, "artifact-dir", f.artifactDir, "directory in which the archive, or the directory "+
		"with --archive-dump=false, is created")
	flags.BoolVar(&f.archive, "archive-dump", f.archive, "pack it into one .tar.gz; without, it stays a directory")
	flags.StringVar(&f.outputFile, "output-file", "", "the archive itself, such as kv-00.tar.gz, instead of one in "+
		"--artifact-dir; it must not exist yet")
	flags.BoolVar(&f.Guest, "dump-guest-cluster", f.Guest, "read from the hosted cluster's own API too")
	flags.BoolVar(&f.ManifestWorks, "manifestworks", false, "read what the hub has sent to the cluster, too: it may hold "+
		"Secrets of others, and takes hcctl rbac --for dump --with manifestworks")
	flags.BoolVar(&f.Secrets, "secrets", f.Secrets, "read the control plane's Secrets to remove their content from all "+
		"else; without, only kinds that a role can name are gathered: hcctl rbac --for gather")
	flags.BoolVar(&f.Consoles, "consoles", false, "open the serial consoles of VMs that keep no log of them, for 5s "+
		"each: that ends the sessions of others, and takes hcctl rbac --for dump --with consoles")
	flags.BoolVar(&f.Journals, "journals", f.Journals, "read the journals of the hosted cluster's nodes, through their "+
		"kubelets")
	flags.StringVar(&f.logBytes, "log-bytes", f.logBytes,
		"how much of the end of each log, journal and console to keep; 0 for no logs")
	flags.StringVar(&f.guestLogBytes, "guest-log-bytes", f.guestLogBytes, "how much to keep of all logs and journals "+
		"of the hosted cluster's own pods and nodes, the worst first; 0 for none")
	cmdutil.TimeoutFlag(flags, &f.timeout, f.timeout,
		"time limit for the whole command; what was gathered until then is kept")
	cmdutil.OutputFlag(cmd, &f.output, "json")
	_ = cmd.MarkFlagDirname("artifact-dir")
	return cmd
}

func (f *dumpFlags) validate() error {
	for _, size := range []struct {
		flag, text string
		to         *int64
	}{{"log-bytes", f.logBytes, &f.LogBytes}, {"guest-log-bytes", f.guestLogBytes, &f.GuestLogBytes}} {
		bytes, err := resource.ParseQuantity(size.text)
		if err != nil || bytes.Sign() < 0 {
			return fmt.Errorf("--%s %q: give a number of bytes, such as 5Mi, or 0 for no logs", size.flag, size.text)
		}
		*size.to = bytes.Value()
	}
	switch {
	case f.outputFile != "" && !f.archive:
		return errors.New("--output-file names an archive: it cannot be combined with --archive-dump=false")
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 5m", f.timeout)
	}
	return nil
}

// dumpReport is the document of dump -o json.
type dumpReport struct {
	step.TypeMeta
	Path     string     `json:"path"`
	Archive  bool       `json:"archive"`
	Complete bool       `json:"complete"`
	Files    int        `json:"files"`
	Bytes    int64      `json:"bytes"`
	NotRead  []dump.Gap `json:"notRead"`
	Seconds  float64    `json:"seconds"`
}

func runDump(ctx context.Context, a *cmdutil.Factory, f dumpFlags) error {
	began := time.Now()
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	label := fmt.Sprintf("%s-%s-dump-%s", f.Namespace, f.Name, began.UTC().Format("20060102-150405"))
	target := filepath.Join(f.artifactDir, label)
	if f.archive {
		target += ".tar.gz"
	}
	if f.outputFile != "" {
		target = f.outputFile
	}
	directory, err := dumpDirectory(target, f.archive)
	if err != nil {
		return fmt.Errorf("cannot create the dump: %w", err)
	}
	keep := false
	defer func() { _ = directory.Close(!keep) }()

	d, err := dump.New(ctx, t.Client, f.Options, directory)
	if cmdutil.ExitCode(err) == cmdutil.ExitMissing { // this exit code would mean that there is an archive
		return cmdutil.WithExit(cmdutil.ExitError, err)
	}
	if err != nil {
		return err
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: d.Steps(), Timeout: f.timeout, Advance: d.Progress,
		Heading: cmdutil.Textf("Gathering what there is of hosted cluster %s/%s on %s", f.Namespace, f.Name, t)})
	if err != nil {
		return err
	}
	defer cmdutil.Finishing(ctx)()
	// Keep what was collected, even after a timeout or an interruption. From here on there are no requests.
	result, err := d.Finish(dump.Index{
		TypeMeta: step.NewTypeMeta("DumpIndex"), HostedCluster: f.Namespace + "/" + f.Name, Time: began.UTC().
				Format(time.RFC3339),
		Hcctl: cmdutil.Version, Server: t.Server, Kubernetes: t.Version, OpenShift: t.OpenShift,
	})
	if err == nil && f.archive {
		err = directory.Archive(target, label, began)
	}
	if err != nil {
		return fmt.Errorf("the dump cannot be written: %w", err)
	}
	keep = !f.archive
	if err := printDump(a, f, target, result, time.Since(began)); err != nil {
		return err
	}
	return dumpVerdict(r, result)
}

// dumpDirectory returns where the dump is collected: in the directory itself, or in an anonymous file beside the
// archive.
func dumpDirectory(target string, archive bool) (*dump.Directory, error) {
	if archive {
		return dump.NewSpool(target)
	}
	return dump.NewDirectory(target)
}

func printDump(a *cmdutil.Factory, f dumpFlags, target string, result dump.Result, took time.Duration) error {
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, dumpReport{
			TypeMeta: step.NewTypeMeta("Dump"), Path: target, Archive: f.archive, Complete: len(result.Gaps) == 0,
			Files: result.Files, Bytes: result.Bytes, NotRead: append([]dump.Gap{}, result.Gaps...),
			Seconds: took.Round(time.Millisecond).Seconds(),
		})
	}
	return cmdutil.Say(a.Streams.Out, "%s\n", target)
}

// incompleteError means that the dump was written, but something could not be read.
type incompleteError struct{ gaps []dump.Gap }

func (e *incompleteError) Error() string {
	first := e.gaps[0]
	if len(e.gaps) == 1 {
		return fmt.Sprintf("the dump is written, but this could not be read: %s: %s", first.What, first.Why)
	}
	text := fmt.Sprintf("the dump is written, but %d things could not be read, such as %s: %s", len(e.gaps), first.What,
		first.Why)
	if n := e.forbidden(); n > 0 {
		text += fmt.Sprintf("; this user may not read %d of them", n)
	}
	return text
}

// Hint returns where the full list is.
func (*incompleteError) Hint() hint.Text {
	return hint.New("not-read.json in it lists what could not be read, and why")
}

// forbidden returns the number of objects that the user has no permission to read.
func (e *incompleteError) forbidden() int {
	n := 0
	for _, g := range e.gaps {
		if g.Forbidden {
			n++
		}
	}
	return n
}

func dumpVerdict(r step.Report, result dump.Result) error {
	if err := r.Err(); err != nil {
		if cmdutil.WasInterrupted(err) {
			return cmdutil.Interrupted(err, hint.New("What was gathered until then is in the dump"))
		}
		return cmdutil.WithResume(err, "what was gathered until then is in the dump")
	}
	if len(result.Gaps) > 0 {
		return cmdutil.WithExit(cmdutil.ExitMissing, &incompleteError{result.Gaps})
	}
	return nil
}
