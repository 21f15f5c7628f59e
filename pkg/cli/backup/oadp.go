package backup

import (
	"context"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/oadp"
)

// renderOADP writes Velero's Backup and Restore of a hosted cluster into a directory, in two files, so that no
// user applies the Restore by mistake.
func renderOADP(ctx context.Context, a *cmdutil.Factory, directory, name string) error {
	t, err := a.Connection.Connect(ctx)
	if err != nil {
		return err
	}
	b, err := backup.Prepare(ctx, t.Client, backup.Options{Namespace: cmdutil.ClustersNamespace(a.Call), Name: name})
	if err != nil {
		return err
	}
	objects, err := oadp.Render(ctx, t.Client, b.Cluster, time.Now())
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name   string
		object *unstructured.Unstructured
	}{{"backup.yaml", objects.Backup}, {"restore.yaml", objects.Restore}} {
		data, err := sanitize.YAML(file.object.Object)
		if err != nil {
			return err
		}
		path := filepath.Join(directory, file.name)
		if err := cmdutil.WriteNew(path, data); err != nil {
			return err
		}
		if err := cmdutil.Say(a.Streams.Out, "%s\n", path); err != nil {
			return err
		}
	}
	for _, note := range objects.Notes {
		cmdutil.Tell(a.Streams.Err, "Warning: %s\n", note)
	}
	cmdutil.Tell(a.Streams.Err, "Nothing was changed. Apply backup.yaml to save the hosted cluster: its status.phase "+
		"becomes Completed. restore.yaml brings it\nback, on this management cluster only, once the HostedCluster, its "+
		"NodePools and the claims of its control plane are deleted.\nhcctl was never tested with a real OADP.\n")
	return nil
}
