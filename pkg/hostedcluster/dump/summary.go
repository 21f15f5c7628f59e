package dump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Result is the result of a dump.
type Result struct {
	// Files and Bytes count the collected files and their size before compression.
	Files int
	Bytes int64
	// Gaps lists what could not be read, sorted.
	Gaps []Gap
}

// Index is the content of dump.json.
type Index struct {
	step.TypeMeta
	HostedCluster string `json:"hostedCluster"`
	Time          string `json:"time"`
	Hcctl         string `json:"hcctl"`
	Server        string `json:"server"`
	Kubernetes    string `json:"kubernetes,omitempty"`
	OpenShift     string `json:"openshift,omitempty"`
	Complete      bool   `json:"complete"`
}

// Finish writes the summaries and the list of gaps. It makes no requests, so it also works after a timeout.
func (d *Dump) Finish(about Index) (Result, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.SortFunc(d.gaps, func(a, b Gap) int { return strings.Compare(a.What+a.Why, b.What+b.Why) })
	d.gaps = slices.Compact(d.gaps)
	about.Complete = len(d.gaps) == 0
	for _, write := range []func() error{
		func() error { return d.text("conditions.txt", d.conditions()) },
		func() error { return d.text("virtual-machines.txt", d.machines("")) },
		func() error { return d.text(infrastructureBase+"virtual-machines.txt", d.machines(infrastructureBase)) },
		func() error { return d.text("events.txt", d.events("")) },
		func() error { return d.text(infrastructureBase+"events.txt", d.events(infrastructureBase)) },
		func() error { return d.text(guestBase+"events.txt", d.events(guestBase)) },
		func() error { return d.document("not-read.json", append([]Gap{}, d.gaps...)) },
		func() error { return d.document("dump.json", about) },
	} {
		if err := write(); err != nil {
			return Result{}, err
		}
	}
	return Result{Files: d.directory.files, Bytes: d.directory.bytes, Gaps: d.gaps}, nil
}

// text writes a table if it has rows below the header.
func (d *Dump) text(path string, rows [][]string) error {
	if len(rows) < 2 {
		return nil
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for _, cells := range rows {
		for i := range cells {
			cells[i] = sanitize.Value(d.redaction.Text(cells[i]))
		}
		if _, err := fmt.Fprintln(w, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return d.directory.write(path, []byte(b.String()))
}

func (d *Dump) document(path string, v any) error {
	data, err := sanitize.JSON(v)
	if err != nil {
		return err
	}
	return d.directory.write(path, append(data, '\n'))
}

// conditions returns the table of conditions of the objects that show the cluster's state.
func (d *Dump) conditions() [][]string {
	rows := [][]string{{"OBJECT", "CONDITION", "STATUS", "REASON", "SINCE", "MESSAGE"}}
	kinds := []string{"HostedCluster", "NodePool", "HostedControlPlane", "ManagedCluster", "Machine", "VirtualMachine",
		"DataVolume"}
	kinds = append(kinds, infrastructureBase+"VirtualMachine", infrastructureBase+"DataVolume",
		guestBase+"ClusterVersion", guestBase+"ClusterOperator", guestBase+"Node")
	for _, kind := range kinds {
		for i := range d.summaryObjects[kind] {
			u := &d.summaryObjects[kind][i]
			for _, c := range kube.Conditions(u) {
				rows = append(rows, []string{kind + " " + kube.Name(u), c.Type, c.Status, c.Reason, stamp(c.LastTransitionTime),
					c.Message})
			}
		}
	}
	return rows
}

// machines returns the table of a cluster's VMs with their instances and volumes.
func (d *Dump) machines(base string) [][]string {
	rows := [][]string{{"VIRTUAL MACHINE", "STATUS", "READY", "PHASE", "NODE", "ADDRESS", "MEMORY", "VOLUMES"}}
	running := map[string]*unstructured.Unstructured{}
	for i := range d.summaryObjects[base+"VirtualMachineInstance"] {
		u := &d.summaryObjects[base+"VirtualMachineInstance"][i]
		running[u.GetName()] = u
	}
	imports := map[string]string{}
	for i := range d.summaryObjects[base+"DataVolume"] {
		u := &d.summaryObjects[base+"DataVolume"][i]
		imports[u.GetName()] = strings.TrimSpace(kube.Text(u, "status", "phase") + " " + kube.Text(u, "status", "progress"))
	}
	for i := range d.summaryObjects[base+"VirtualMachine"] {
		vm := &d.summaryObjects[base+"VirtualMachine"][i]
		row := []string{vm.GetName(), kube.Text(vm, "status", "printableStatus"),
			fmt.Sprint(kube.Flag(vm, "status", "ready")), "-", "-", "-", "-", "-"}
		if vmi := running[vm.GetName()]; vmi != nil {
			row[3], row[4] = cmp.Or(kube.Text(vmi, "status", "phase"), "-"), cmp.Or(kube.Text(vmi, "status", "nodeName"), "-")
			if networks := kube.Maps(vmi, "status", "interfaces"); len(networks) > 0 {
				address, _ := networks[0]["ipAddress"].(string)
				row[5] = cmp.Or(address, "-")
			}
		}
		row[6] = cmp.Or(kube.Text(vm, "spec", "template", "spec", "domain", "memory", "guest"), "-")
		var volumes []string
		for _, volume := range kube.Maps(vm, "spec", "template", "spec", "volumes") {
			if of, ok := volume["dataVolume"].(map[string]any); ok {
				name, _ := of["name"].(string)
				volumes = append(volumes, strings.TrimSpace(name+" "+imports[name]))
			}
		}
		row[7] = cmp.Or(strings.Join(volumes, ", "), "-")
		rows = append(rows, row)
	}
	return rows
}

// events returns the table of all events, the oldest first.
func (d *Dump) events(base string) [][]string {
	var events []health.Event
	for _, u := range d.summaryObjects[base+"Event"] {
		e := &corev1.Event{}
		// A field with an unexpected type is left empty, and the event is kept.
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, e)
		events = append(events, health.EventOf(e))
	}
	slices.SortStableFunc(events, func(a, b health.Event) int {
		return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Namespace+a.Object, b.Namespace+b.Object))
	})
	rows := [][]string{{"LAST", "TIMES", "TYPE", "REASON", "NAMESPACE", "OBJECT", "MESSAGE"}}
	for _, e := range events {
		rows = append(rows, []string{stamp(e.Time), fmt.Sprint(e.Count), e.Type, e.Reason, e.Namespace, e.Object, e.Message})
	}
	return rows
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}
