// Package restore implements hcctl restore.
package restore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/backup"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/each"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/restore"
	"github.com/hcctl/hcctl/pkg/step"
)

// restoreFlags are the flags of restore.
type restoreFlags struct {
	cmdutil.ChangeFlags
	keys   backup.KeyFlags
	verify bool
	// name is the hosted cluster that the backup must be of; empty if the user confirms the cluster at the
	// prompt.
	name string
}

// New returns the command restore.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &restoreFlags{}
	cmd := &cobra.Command{
		Use:     "restore FILE",
		GroupID: "hosted",
		Short:   "Restore a hosted cluster from a backup, or create it again from one",
		Long: `restore brings a hosted cluster back to the state in a file of hcctl backup. It follows the vendor's procedure
for etcd on premise: the HostedCluster is paused, its API servers and etcd are stopped, the snapshot is restored into
the volume of etcd-0, the volumes of the other members are removed, everything is started again and the pause ends. The
API of the cluster is unavailable meanwhile; its workers and their pods keep running. What was changed in the cluster
since the backup is lost.

If the HostedCluster is gone, it is created again first, with its node pools and the keys that its control plane had:
kubeconfigs and tokens from before keep working. Its workers are new ones.

The whole file is checked before anything is changed; --verify does only that, and needs no cluster. A cluster of the
same name with another infraID is refused, and so is a control plane's namespace that may be another cluster's.
After an interruption, the same command continues. On a terminal the name of the cluster is typed; without one give
--yes, and --name: the file alone does not decide which cluster is restored.

A file that is whole need not be right: its author runs programs in the control plane by its images and annotations.
They are shown before the question, by --dry-run and by --verify. A file of backup --passphrase-file is only made by
who knows the passphrase.
https://github.com/hcctl/hcctl/blob/main/docs/backup.md says what is restored, and what is not.`,
		Example: `  hcctl restore clusters-kv-00-BACKUP-SECRET-20260301-100000.tar.gz --verify
  hcctl restore clusters-kv-00-BACKUP-SECRET-20260301-100000.tar.gz --dry-run
  hcctl restore kv-00.tar.gz.age --identity-file key.txt --name kv-00 --yes`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cmdutil.Misuse(cmd, errors.New("which backup? hcctl restore takes the path of one file"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(a.Prompter.Yes); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			if err := a.Prompter.NeedsConsent("restore", f.DryRun || f.verify); err != nil {
				return err
			}
			return runRestore(cmd.Context(), a, f, args[0])
		},
	}
	cmd.Flags().BoolVar(&f.verify, "verify", false, "check the file, say what is in it, and change nothing")
	cmd.Flags().StringVar(&f.name, "name", "", "the hosted cluster that the backup has to be of; needed with --yes")
	f.keys.Bind(cmd, "file whose first line is the passphrase of the backup; - is standard input")
	f.Bind(cmd, a, time.Hour)
	return cmd
}

func (f *restoreFlags) validate(yes bool) error {
	if f.verify && f.DryRun {
		return errors.New("--verify and --dry-run: give only one of them")
	}
	if yes && f.name == "" && !f.verify && !f.DryRun {
		return errors.New("--yes: give --name too, the hosted cluster to restore; the file alone does not decide that")
	}
	if f.keys.IdentityFile == "-" && f.keys.PassphraseFile == "-" {
		return errors.New("--identity-file and --passphrase-file: only one of them can be standard input")
	}
	return f.Validate()
}

func runRestore(ctx context.Context, a *cmdutil.Factory, f *restoreFlags, path string) error {
	identities, err := f.keys.Identities(a)
	if err != nil {
		return err
	}
	content, err := archive.Read(ctx, path, identities, io.Discard)
	var unread *fs.PathError
	if errors.As(err, &unread) {
		return cmdutil.WithHint(err, "give the path of a file that %s wrote", hint.Run("backup"))
	}
	if err != nil {
		return err
	}
	if m, namespace := content.Manifest, cmdutil.ClustersNamespace(a.Call); f.name != "" &&
		(m.Name != f.name || m.Namespace != namespace) {
		return cmdutil.WithHint(fmt.Errorf("%s is a backup of hosted cluster %s/%s, and --name is %s/%s: nothing was changed",
			path, m.Namespace, m.Name, namespace, f.name), "give the backup of that cluster, or its own --name and --namespace")
	}
	if f.verify {
		return printContent(a, f, path, content)
	}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	snapshot := snapshotOf(path, identities, content)
	if f.DryRun {
		snapshot = nil
	}
	return each.Only(ctx, a, t, &f.ChangeFlags, each.Work{Command: "restore", Kind: "RestorePlan",
		Prepare: func(ctx context.Context, t *cmdutil.Target, _ fleet.ClusterName) (each.Change, error) {
			p, err := restore.Prepare(ctx, t.Client, content, snapshot)
			if err != nil {
				return each.Change{}, err
			}
			p.Planning = f.DryRun
			c := change(t, content, p)
			if a.Prompter.Asks() && !f.DryRun { // the notes show what would run; they come before the question and can be long
				cmdutil.Tell(a.Streams.Err, "%s\n", cmdutil.Lines(cmdutil.Notes(c.Notes)...))
				c.Notes = nil
			}
			return c, nil
		}})
}

// snapshotOf returns a function that writes the snapshot of the file. It returns an error if the file has
// changed since it was checked.
func snapshotOf(path string, keys []age.Identity, checked *archive.Content) func(context.Context, io.Writer) error {
	return func(ctx context.Context, to io.Writer) error {
		again, err := archive.Read(ctx, path, keys, to)
		if err != nil {
			return err
		}
		if again.SnapshotSHA256 != checked.SnapshotSHA256 {
			return &archive.Error{Path: path, Problem: "has changed since it was checked"}
		}
		return nil
	}
}

// change returns the restore with its texts.
func change(t *cmdutil.Target, content *archive.Content, p *restore.Plan) each.Change {
	m := content.Manifest
	what := fmt.Sprintf("hosted cluster %s/%s", m.Namespace, m.Name)
	c := each.Change{
		Notes: p.Notes, Destroys: true, Word: m.Name, Steps: p.Steps(),
		Question: cmdutil.Textf("Restore %s on %s to its state of %s? What was changed in it since then is lost, and its "+
			"API is unavailable meanwhile.", what, t.Named(), m.Created),
		Heading: cmdutil.Textf("Restoring %s on %s to %s", what, t, m.Created),
		Done:    fmt.Sprintf("The %s is restored to %s.", what, m.Created),
		Next:    hint.Run("status", hostedcluster.Argument(m.Namespace, m.Name)).Text(),
	}
	switch {
	case p.Resumed:
		c.Question = cmdutil.Textf("Continue the restore of %s on %s to %s?", what, t.Named(), m.Created)
	case !p.Exists:
		for _, fact := range content.Facts() {
			c.Notes = append(c.Notes, fact.String())
		}
		c.Question = cmdutil.Textf("Create %s again on %s, as it was at %s?", what, t.Named(), m.Created)
	}
	return c
}

// contentReport is the document of restore --verify -o json.
type contentReport struct {
	step.TypeMeta
	Path      string           `json:"path"`
	Encrypted bool             `json:"encrypted"`
	Bytes     int64            `json:"bytes"`
	Manifest  archive.Manifest `json:"manifest"`
	Objects   []objectReport   `json:"objects"`
	// Facts decide which programs run: images, mirrors, annotations. Missing are Secrets and
	// ConfigMaps that the objects name and the archive does not contain.
	Facts         []archive.Fact `json:"facts"`
	Missing       []string       `json:"missing"`
	SnapshotBytes int64          `json:"snapshotBytes"`
	Snapshot      string         `json:"snapshotSHA256"`
}

type objectReport struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// printContent prints the content of a backup; of Secrets only the names.
func printContent(a *cmdutil.Factory, f *restoreFlags, path string, c *archive.Content) error {
	doc := contentReport{TypeMeta: step.NewTypeMeta("BackupContent"), Path: path, Encrypted: c.Encrypted,
		Bytes: c.Bytes, Manifest: c.Manifest, SnapshotBytes: c.SnapshotBytes, Snapshot: c.SnapshotSHA256,
		Facts: append([]archive.Fact{}, c.Facts()...)}
	missing, err := c.Missing()
	if err != nil {
		return err
	}
	doc.Missing = missing
	for _, o := range c.Objects {
		doc.Objects = append(doc.Objects, objectReport{o.GetKind(), o.GetNamespace(), o.GetName()})
	}
	if f.Output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, doc)
	}
	m := c.Manifest
	cmdutil.Tell(a.Streams.Out, "Hosted cluster %s/%s, version %s, backed up at %s from %s\n", m.Namespace, m.Name,
		m.Version, m.Created, m.Server)
	for _, o := range doc.Objects {
		cmdutil.Tell(a.Streams.Out, "  %s %s/%s\n", o.Kind, o.Namespace, o.Name)
	}
	for _, fact := range doc.Facts {
		cmdutil.Tell(a.Streams.Out, "  %s\n", fact)
	}
	for _, name := range doc.Missing {
		cmdutil.Tell(a.Streams.Out, "  not in the backup: %s\n", name)
	}
	return cmdutil.Say(a.Streams.Out, "  snapshot of etcd, %d bytes\nThe file is whole: all sums and the snapshot's "+
		"integrity hash match. That does not say who wrote it.\n", c.SnapshotBytes)
}
