package backup

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"filippo.io/age"
	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup"
	"github.com/hcctl/hcctl/pkg/step"
)

// backupFlags are the flags of backup.
type backupFlags struct {
	keys               KeyFlags
	outputFile, output string
	recipients         []string
	timeout            time.Duration
	// oadp is the directory for the objects of OADP; empty for a backup file of hcctl.
	oadp string
}

// New returns the command backup.
func New(a *cmdutil.Factory) *cobra.Command {
	f := &backupFlags{timeout: time.Hour}
	cmd := &cobra.Command{
		Use:     "backup NAME",
		GroupID: "hosted",
		Short:   "Write a backup of a hosted cluster into one file",
		Long: `backup writes what it takes to bring a hosted cluster back: its HostedCluster and NodePools, the Secrets and
ConfigMaps that they name, the keys of its control plane, and a snapshot of its etcd, which etcdctl takes in a pod of
etcd. The cluster keeps running meanwhile, and nothing in it is changed. The volumes of its own workloads are not part
of the backup.

Only its owner can read the file, and it is never overwritten. Whoever has it is the cluster's administrator: encrypt
it, to public keys of age (--recipient) or with a passphrase (--passphrase-file). The program age opens it too.

The file is read back and checked before the command ends: all sums, and the integrity hash of the snapshot. If it is
encrypted to recipients, give --identity-file to have that checked too; without it only its hash is.
https://github.com/hcctl/hcctl/blob/main/docs/backup.md says what is in it, and how hcctl restore uses it.

Where OADP is installed with its HyperShift plugin, --oadp writes Velero's Backup and Restore for the hosted cluster
into a directory instead, by the vendor's procedure for KubeVirt, and changes nothing. Use it where volumes of the
cluster's own workloads have to be saved, too; for everything else hcctl recommends its own file, which needs neither
object storage nor snapshots, and which it has checked.`,
		Example: `  hcctl backup kv-00
  hcctl backup kv-00 --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
  hcctl backup kv-00 --passphrase-file ~/.backup-passphrase -o json
  hcctl backup kv-00 --oadp velero`,
		Args: cmdutil.OneName("hosted cluster"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.validate(); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runBackup(cmd.Context(), a, f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.outputFile, "output-file", "", "the file to write, which must not exist (default "+
		"NAMESPACE-NAME-BACKUP-SECRET-TIME.tar.gz, with .age if it is encrypted, in the current directory)")
	flags.StringArrayVar(&f.recipients, "recipient", nil, "public key of age (age1…) that can open the backup; repeat it "+
		"for several")
	f.keys.Bind(cmd, "encrypt by the passphrase in the first line of this file; - is standard input")
	flags.StringVar(&f.oadp, "oadp", "", "write backup.yaml and restore.yaml for OADP into this directory, and change "+
		"nothing")
	_ = cobra.MarkFlagDirname(flags, "oadp")
	cmdutil.TimeoutFlag(flags, &f.timeout, f.timeout, "time limit for the whole command")
	cmdutil.OutputFlag(cmd, &f.output, "json")
	return cmd
}

func (f *backupFlags) validate() error {
	switch {
	case f.oadp != "" && (f.outputFile != "" || f.output != "" || len(f.recipients) > 0 || f.keys != KeyFlags{}):
		return errors.New("--oadp writes objects, not a file of hcctl: it cannot be combined with --output-file, --output, " +
			"--recipient, --identity-file and --passphrase-file")
	case f.timeout <= 0:
		return fmt.Errorf("--timeout %s: give a time above zero, such as 1h", f.timeout)
	case len(f.recipients) > 0 && f.keys.PassphraseFile != "":
		return errors.New("--recipient and --passphrase-file: give only one of them")
	case f.keys.IdentityFile != "" && len(f.recipients) == 0:
		return errors.New("--identity-file reads back what is encrypted: give --recipient too")
	}
	if _, err := recipientsOf(f.recipients); err != nil {
		return err
	}
	return nil
}

// backupReport is the document of backup -o json.
type backupReport struct {
	step.TypeMeta
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Encrypted bool   `json:"encrypted"`
	// Verified is set if the content was read back; otherwise only the file's hash was compared.
	Verified bool    `json:"verified"`
	Seconds  float64 `json:"seconds"`
}

func runBackup(ctx context.Context, a *cmdutil.Factory, f *backupFlags, name string) error {
	if f.oadp != "" {
		return renderOADP(ctx, a, f.oadp, name)
	}
	began := time.Now()
	o := backup.Options{Namespace: cmdutil.ClustersNamespace(a.Call), Name: name, Target: f.outputFile,
		Hcctl: cmdutil.Version}
	var err error
	if o.Recipients, err = recipientsOf(f.recipients); err != nil {
		return err
	}
	passphrase, err := f.keys.passphrase(a)
	if err != nil {
		return err
	}
	if passphrase == "" {
		o.Identities, err = f.keys.Identities(a)
	} else {
		o.Recipients, o.Identities, err = byPassphrase(passphrase)
	}
	if err != nil {
		return err
	}
	if o.Target == "" {
		o.Target = fmt.Sprintf("%s-%s-BACKUP-SECRET-%s.tar.gz", o.Namespace, o.Name, began.UTC().Format("20060102-150405"))
		if len(o.Recipients) > 0 {
			o.Target += ".age"
		}
	}
	if o.Target, err = filepath.Abs(o.Target); err != nil {
		return err
	}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	b, err := backup.Prepare(ctx, t.Client, o)
	if err != nil {
		return err
	}
	r, err := a.Runner.Run(ctx, t, cmdutil.Run{Steps: b.Steps(), Timeout: f.timeout,
		Heading: cmdutil.Textf("Backing up hosted cluster %s/%s of %s", o.Namespace, o.Name, t)})
	if err == nil {
		err = r.Err()
	}
	if err != nil {
		return err
	}
	if len(o.Recipients) == 0 {
		cmdutil.Tell(a.Streams.Err, "Warning: the backup is not encrypted, and whoever has it is the cluster's "+
			"administrator: --recipient or --passphrase-file encrypts it\n")
	}
	if keys := b.Keys.Describe(); keys != "" {
		cmdutil.Tell(a.Streams.Err, "Warning: etcd is being encrypted with another key; %s. Take another backup once %s "+
			"says that it is done\n", keys, a.Call.Render(hint.Run("status", o.Name).Text()))
	}
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, backupReport{
			TypeMeta: step.NewTypeMeta("Backup"), Path: o.Target, SHA256: b.SHA256,
			Encrypted: len(o.Recipients) > 0, Verified: b.Content != nil,
			Seconds: time.Since(began).Round(time.Millisecond).Seconds(),
		})
	}
	return cmdutil.Say(a.Streams.Out, "%s\n", o.Target)
}

// byPassphrase returns the recipient and the identity of an encryption by passphrase.
func byPassphrase(passphrase string) ([]age.Recipient, []age.Identity, error) {
	r, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, nil, err
	}
	i, err := age.NewScryptIdentity(passphrase)
	return []age.Recipient{r}, []age.Identity{i}, err
}
