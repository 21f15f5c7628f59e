// Package lint implements hcctl lint.
package lint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/directory"
	"github.com/hcctl/hcctl/pkg/hostedcluster/convert"
	"github.com/hcctl/hcctl/pkg/step"
)

// flags are the flags of lint.
type flags struct {
	output, convert, env string
	release              string
	of                   convert.Release
	offline, diff        bool
	skipPreflight        []string
}

// New returns the command lint.
func New(a *cmdutil.Factory) *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use: "lint FILE...", GroupID: "hosted",
		Short: "Say what is wrong with files of hosted clusters, and convert them",
		Long: `lint reads files of hosted clusters and says what is wrong with them, with file and line: hcctl's own documents
(kinds Bootstrap, Cluster and Fleet), and HostedClusters and NodePools as kustomize, hcp --render, the console and oc
get -o yaml write them, with the Secrets and other objects beside them, one document or many, Lists, and the older API.
A directory means its .yaml and .yml files. It changes nothing.

HostedClusters and NodePools are held to the CRDs of a release of HyperShift, fields, values and rules: that of the
cluster if there is one, else that of the files' own release, else the newest. --release says another one.

If there is a cluster to talk to, what create and apply look at before they write is looked at, too; --diff shows what
apply would change there. --offline asks no cluster.

--convert writes what the files say in the other form into a new directory: a Cluster document for each HostedCluster
with its NodePools, and HostedClusters and NodePools for hcctl's documents. Nothing is lost: what has no option becomes
a patch, Secrets and ConfigMaps become files, objects of no cluster are written to others.yaml, and what cannot be said
is a finding.

The exit code is 0 if nothing is wrong, 3 if something is, and 2 if a file cannot be read.`,
		Example: `  hcctl lint kv-00.yaml
  hcctl lint hostedcluster.yaml nodepools.yaml --offline
  hcctl lint hostedcluster.yaml --offline --release 4.21
  hcctl lint manifests/ --diff
  hcctl lint hostedcluster.yaml --convert kv-00/
  oc get hostedclusters,nodepools -n clusters -o yaml | hcctl lint -`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmdutil.Misuse(cmd, errors.New("which file? - is standard input"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if f.of, err = givenRelease(f.release); err == nil {
				err = f.validate()
			}
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			read, err := readFiles(a, args, f.env)
			if err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return run(cmd.Context(), a, f, read)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	cmd.Flags().BoolVar(&f.offline, "offline", false, "only look at the files; contacts no cluster")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "show what apply would create or change, as a diff")
	cmd.Flags().StringVar(&f.convert, "convert", "", "write what the files say in the other form, Cluster documents or "+
		"HostedClusters and NodePools, into this new directory")
	cmd.Flags().StringVar(&f.env, "env", "", "environment of the files whose clusters are meant, such as dev; all are "+
		"looked at unless it is given, and none is compared with a cluster")
	cmd.Flags().StringVar(&f.release, "release", "", "minor version of HyperShift that the files are for, such as 4.21; "+
		"that of the cluster, or of the files' own release, unless given")
	cmd.Flags().StringSliceVar(&f.skipPreflight, "skip-preflight", nil, "checks of the cluster to leave out, by ID or "+
		"group, or all (repeatable)")
	a.Files.BindAllowed(cmd.Flags())
	_ = cmd.MarkFlagDirname("convert")
	cmdutil.OutputFlag(cmd, &f.output, "json")
	return cmd
}

func (f flags) validate() error {
	switch {
	case f.diff && f.offline:
		return errors.New("--diff: not with --offline, which asks no cluster")
	case f.offline && len(f.skipPreflight) > 0:
		return errors.New("--skip-preflight: has no effect with --offline, which asks no cluster")
	case f.diff && f.output != "":
		return errors.New("--diff: not with --output; hcctl apply --dry-run -o json prints the plan as a document")
	}
	if f.convert != "" {
		if err := directory.Vacant("convert", f.convert); err != nil {
			return err
		}
	}
	return nil
}

// finding is an error, a warning or a note, with its place.
type finding struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Object is for example "NodePool kv-00" or "hosted cluster clusters/kv-00".
	Object string `json:"object,omitempty"`
	Field  string `json:"field,omitempty"`
	// Severity is error, warning or note.
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Next     string `json:"next,omitempty"`
}

const (
	asError   = "error"
	asWarning = "warning"
	asNote    = "note"
)

// place returns file and line of a finding.
func (f finding) place() string {
	if f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

// report is the document of lint -o json: docs/schema/lint.json.
type report struct {
	step.TypeMeta
	Files    []string  `json:"files"`
	Clusters []string  `json:"clusters"`
	Findings []finding `json:"findings"`
	// Releases are the HyperShift releases that each cluster's files were checked against.
	Releases []release `json:"releases"`
	// NotAsked is why the files were not compared with a cluster; empty if they were.
	NotAsked string `json:"notAsked,omitempty"`
}

func run(ctx context.Context, a *cmdutil.Factory, f flags, read *input) error {
	t, unreached := connect(ctx, a, f, read)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	of := f.of
	if of.Minor == 0 {
		of = clusterRelease(ctx, t)
	}
	read.vendorObjects(of)
	read.checkDocuments(of)
	r := report{TypeMeta: step.NewTypeMeta("Lint"), Files: read.files, Clusters: []string{},
		Findings: append([]finding{}, read.findings...), Releases: append([]release{}, read.releases...)}
	for _, c := range read.clusters {
		r.Clusters = append(r.Clusters, c.Namespace+"/"+c.Name)
	}
	var planned error
	switch {
	case f.offline:
		r.NotAsked = "--offline"
	case len(read.wanted) == 0:
		r.NotAsked = cmp.Or(read.notCompared, "no cluster of the files is right so far")
	case t == nil:
		r.NotAsked = unreached
	default:
		found, err := checkCluster(ctx, a, t, f, read)
		if planned = err; ctx.Err() != nil {
			return ctx.Err()
		}
		r.Findings = append(r.Findings, found...)
	}
	if f.diff && r.NotAsked != "" {
		return fmt.Errorf("--diff: no cluster was asked: %s", r.NotAsked)
	}
	slices.SortStableFunc(r.Findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	if err := r.print(a, f); err != nil {
		return err
	}
	wrong := r.count(asError)
	if f.convert != "" && wrong == 0 {
		if err := convertInto(a, f, read); err != nil {
			return err
		}
	}
	if f.convert != "" && wrong > 0 {
		cmdutil.Tell(a.Streams.Err, "Nothing was converted.\n")
	}
	if planned != nil {
		return planned
	}
	if wrong > 0 {
		return cmdutil.Ended(cmdutil.ExitMissing)
	}
	return nil
}

func (r report) count(severity string) (n int) {
	for _, f := range r.Findings {
		if f.Severity == severity {
			n++
		}
	}
	return n
}

func (r report) print(a *cmdutil.Factory, f flags) error {
	if f.output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, r)
	}
	for _, one := range r.Findings {
		text := one.Message
		if one.Field != "" {
			text = one.Field + ": " + text
		}
		if one.Object != "" {
			text = one.Object + ": " + text
		}
		if one.Severity != asError {
			text = one.Severity + ": " + text
		}
		if err := cmdutil.Say(a.Streams.Out, "%s: %s\n", one.place(), text); err != nil {
			return err
		}
		if one.Next != "" {
			if err := cmdutil.Say(a.Streams.Out, "  → %s\n", one.Next); err != nil {
				return err
			}
		}
	}
	for i, one := range r.Releases {
		if i == 0 || r.Releases[i-1].HyperShift != one.HyperShift || r.Releases[i-1].From != one.From {
			cmdutil.Tell(a.Streams.Err, "%s is held to HyperShift %s: %s\n", one.Cluster, one.HyperShift, one.From)
		}
	}
	asked := "the cluster was asked, too"
	if r.NotAsked != "" {
		asked = "no cluster was asked: " + r.NotAsked
	}
	cmdutil.Tell(a.Streams.Err, "%s, %s: %s, %s; %s\n", plural.Count(len(r.Files), "file"),
		plural.Count(len(r.Clusters), "hosted cluster"), plural.Count(r.count(asError), "error"),
		plural.Count(r.count(asWarning), "warning"), asked)
	return nil
}

// preflightTimeout bounds the requests to a cluster.
const preflightTimeout = 5 * time.Minute
