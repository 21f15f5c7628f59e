package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/apply"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/cli/internal/directory"
	"github.com/hcctl/hcctl/pkg/cli/internal/rendering"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/fleet"
	"github.com/hcctl/hcctl/pkg/hostedcluster/convert"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// connect connects to the cluster. It returns why not if there is no cluster, or nothing to compare with it.
func connect(ctx context.Context, a *cmdutil.Factory, f flags, read *input) (t *cmdutil.Target, why string) {
	switch {
	case f.offline:
		return nil, "--offline"
	case len(read.objects)+len(read.documents) == 0:
		return nil, "no cluster is among the files"
	case a.Connection.NoClusterConfigured():
		return nil, "there is none to talk to"
	}
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return nil, strings.SplitN(cmdutil.Sentence(err), "\n", 2)[0]
	}
	return t, ""
}

// checkCluster checks the files against the cluster, as create and apply do before they write. Its error is that of the
// plan.
func checkCluster(ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, f flags, read *input) (found []finding,
	err error) {
	prepare := fleet.PrepareOptions{Parallel: 1, SkipPreflight: f.skipPreflight,
		Engine: step.Options{Transient: kube.IsTransient, Explain: kube.Explain}}
	if f.diff {
		err := apply.Plan(ctx, a, t, read.wanted, prepare, cmdutil.FleetOf(1, preflightTimeout, 0, "", true))
		if cmdutil.ExitCode(err) == cmdutil.ExitDiffers {
			err = nil
		}
		return nil, err
	}
	prepared, err := fleet.PrepareApply(ctx, t.Client, read.wanted, prepare)
	if err != nil {
		return nil, t.Clarify(ctx, err)
	}
	for i, m := range prepared.Members {
		about := finding{File: read.places[i], Object: "hosted cluster " + m.Subject(), Severity: asError}
		add := func(severity, message, next string) {
			one := about
			one.Severity, one.Message, one.Next = severity, message, next
			found = append(found, one)
		}
		if m.Err != nil {
			add(asError, cmdutil.Sentence(cmdutil.NameFlags(m.Err)), "")
		}
		for _, r := range m.Refused {
			add(asError, r.Line(), r.Finding.Hint.String())
		}
		for _, r := range m.Warnings {
			add(asWarning, r.Line(), r.Finding.Hint.String())
		}
		for _, left := range m.LeftAlone {
			add(asWarning, fmt.Sprintf("%s %s", left.Object, left.Message), left.Hint.String())
		}
	}
	return found, apply.FleetPreflight(ctx, a, t, &fleet.Apply{Members: withoutWarnings(prepared.Members)},
		f.skipPreflight)
}

// withoutWarnings returns the members without their warnings, which are findings already.
func withoutWarnings(members []fleet.Member) []fleet.Member {
	out := make([]fleet.Member, len(members))
	for i, m := range members {
		m.Warnings = nil
		out[i] = m
	}
	return out
}

// convertInto writes the content of the files in the other form.
func convertInto(a *cmdutil.Factory, f flags, read *input) error {
	var files []cmdutil.File
	for _, c := range read.converted {
		data, err := config.WriteCluster(c.Options, ".")
		if err != nil {
			return err
		}
		files = append(files, cmdutil.File{Path: c.Options.Name + ".yaml", Data: data})
		for _, file := range c.Files {
			files = append(files, cmdutil.File{Path: file.Name, Data: file.Data})
		}
	}
	secrets, err := rendered(a, f, read, &files)
	if err != nil {
		return err
	}
	if len(read.others) > 0 {
		data, err := objects.YAML(convert.ClientObjects(read.others)...)
		if err != nil {
			return err
		}
		files = append(files, cmdutil.File{Path: "others.yaml", Data: data})
	}
	if err := directory.Write("convert", f.convert, files); err != nil {
		return err
	}
	for _, file := range files {
		cmdutil.Tell(a.Streams.Err, "Wrote %s\n", filepath.Join(f.convert, file.Path))
	}
	if len(read.others) > 0 {
		cmdutil.Tell(a.Streams.Err, "%s of no hosted cluster: oc apply -f %s\n", plural.Count(len(read.others), "object"),
			filepath.Join(f.convert, "others.yaml"))
	}
	if len(secrets) > 0 {
		cmdutil.Tell(a.Streams.Err, "Secrets are not in it: %s\n", strings.Join(secrets, ", "))
	}
	if len(read.converted) > 0 {
		cmdutil.Tell(a.Streams.Err, "Next: hcctl create cluster -f %s --dry-run=server\n",
			filepath.Join(f.convert, read.converted[0].Options.Name+".yaml"))
	}
	return nil
}

// rendered adds the objects of hcctl's own documents, and returns the Secrets that are left out.
func rendered(a *cmdutil.Factory, f flags, read *input, files *[]cmdutil.File) (secrets []string, err error) {
	if len(read.own) == 0 {
		return nil, nil
	}
	environments, err := rendering.Environments(a, read.own, f.env)
	if err != nil {
		return nil, err
	}
	for _, e := range environments {
		all := make([]client.Object, len(e.Objects))
		for i, u := range e.Objects {
			all[i] = u
		}
		data, err := objects.YAML(all...)
		if err != nil {
			return nil, err
		}
		*files = append(*files, cmdutil.File{Path: filepath.Join(e.Name, "hosted-clusters.yaml"), Data: data})
		secrets = append(secrets, e.Secrets...)
	}
	return secrets, nil
}
