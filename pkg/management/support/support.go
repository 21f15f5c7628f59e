package support

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hostedversions"
	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
)

// Verdict is the level of support of a version.
type Verdict string

// Values of Verdict, a contract with scripts.
const (
	// Tested means that tests run hcctl with this minor version.
	Tested Verdict = "tested"
	// Known means that hcctl's requests are compared with this version's sources, but no test runs with it.
	Known Verdict = "known"
	// Untested means neither of the two.
	Untested Verdict = "untested"
	// Absent means that the component is not installed.
	Absent Verdict = "absent"
	// Unknown means that the version could not be read.
	Unknown Verdict = "unknown"
)

// Component is a product with versions.
type Component struct {
	Name string `json:"name"`
	// Known holds the first and the last minor version whose sources are among the facts, such as "4.12" and "5.1".
	Known [2]string `json:"known"`
	// Tested lists the minor versions that tests run with.
	Tested []string `json:"tested"`
	// Note describes how they run.
	Note string `json:"note,omitempty"`
}

// Names of the components.
const (
	OpenShift  = "OpenShift"
	Kubernetes = "Kubernetes API server"
	Engine     = "multicluster engine"
	HyperShift = "HyperShift"
	Hosted     = "hosted clusters"
)

// Components returns the table of tested versions. The facts are those of contracts, the tested versions those of the
// sandbox's profiles; a test compares the table with both.
func Components() []Component {
	return []Component{
		{OpenShift, [2]string{"4.12", "5.1"}, []string{"4.12", "4.13", "4.14", "4.15", "4.16", "4.17", "4.18", "4.19",
			"4.20", "4.21", "4.22", "4.23", "5.0", "5.1"},
			"in a sandbox: the kinds of its release on a real API server, its operators simulated"},
		{Kubernetes, [2]string{"1.25", "1.36"}, []string{"1.33", "1.34", "1.35", "1.36"},
			"the real one of each version, in a sandbox; OpenShift 4.12 has 1.25, 4.20 has 1.33, 4.23 and 5.0 have 1.36, " +
				"5.1 has 1.37"},
		{Engine, [2]string{"2.2", "5.1"}, []string{"2.2", "2.3", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11",
			"2.17", "5.0", "5.1"},
			"in a sandbox, simulated; Open Cluster Management is the project's own"},
		{HyperShift, [2]string{"4.12", "5.1"}, []string{"0.1.70", "0.1.81"},
			"the vendor's own operator runs at 0.1.70; the kinds of 0.1.81, with its behaviour simulated; what create writes " +
				"is held to the CRDs of 4.12 to 5.1"},
		{Hosted, [2]string{"4.12", "5.1"}, []string{"4.12", "4.13", "4.14", "4.15", "4.16", "4.17", "4.18", "4.19",
			"4.20", "4.21", "4.22", "4.23", "5.0", "5.1"}, "created and upgraded in sandboxes; no worker VM runs there"},
	}
}

// Found is the version of a component on a cluster, with its verdict.
type Found struct {
	Component string `json:"component"`
	// Version is the version that the cluster reports, or "" if it has none or cannot be read.
	Version string  `json:"version,omitempty"`
	Verdict Verdict `json:"verdict"`
	// Detail is the reason for verdicts other than Tested.
	Detail string `json:"detail,omitempty"`
}

// Read returns the versions of a cluster. The caller passes those of OpenShift ("" if it is not OpenShift) and
// Kubernetes, which it knows from the connection.
func Read(ctx context.Context, r kube.Reader, openShift, kubernetes string) []Found {
	return []Found{
		judgeOpenShift(openShift), judge(Kubernetes, strings.TrimPrefix(kubernetes, "v")), engine(ctx, r), hosted(ctx, r),
	}
}

func judgeOpenShift(version string) Found {
	if version == "" {
		return Found{Component: OpenShift, Verdict: Untested, Detail: "this is not OpenShift, or its version cannot be read"}
	}
	return judge(OpenShift, version)
}

// judge compares a version with the table.
func judge(name, version string) Found {
	f := Found{Component: name, Version: version}
	i := slices.IndexFunc(Components(), func(c Component) bool { return c.Name == name })
	c := Components()[i]
	major, minor, ok := minorOf(version)
	short := fmt.Sprintf("%d.%d", major, minor)
	switch {
	case !ok:
		f.Verdict, f.Detail = Unknown, "it tells no version that can be read"
	case slices.ContainsFunc(c.Tested, func(tested string) bool { return !less(tested, short) && !less(short, tested) }):
		f.Verdict = Tested
	case less(short, c.Known[0]):
		f.Verdict, f.Detail = Untested, fmt.Sprintf("older than %s, the first that this hcctl knows", c.Known[0])
	case less(c.Known[1], short):
		f.Verdict, f.Detail = Untested, fmt.Sprintf("newer than %s, the last that this hcctl knows", c.Known[1])
	default:
		f.Verdict, f.Detail = Known, "no test runs with it; it is between the first and the last that this hcctl knows"
	}
	return f
}

func minorOf(version string) (major, minor int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	return major, minor, errMajor == nil && errMinor == nil && major >= 0 && minor >= 0
}

// less compares two valid minor versions; 4.23 and 5.0 are equal.
func less(a, b string) bool {
	aMajor, aMinor, _ := minorOf(a)
	bMajor, bMinor, _ := minorOf(b)
	return openshift.MinorNumber(aMajor, aMinor) < openshift.MinorNumber(bMajor, bMinor)
}

// engine reads the version of multicluster engine.
func engine(ctx context.Context, r kube.Reader) Found {
	list := kube.MultiClusterEngine.NewList()
	err := r.List(ctx, list)
	switch {
	case kube.IsKindMissing(err), err == nil && len(list.Items) == 0:
		return Found{Component: Engine, Verdict: Absent, Detail: "it is not installed; hcctl bootstrap installs it"}
	case err != nil:
		return Found{Component: Engine, Verdict: Unknown, Detail: kube.Explain(err)}
	}
	return judge(Engine, kube.Text(&list.Items[0], "status", "currentVersion"))
}

// hosted reads the versions that hosted clusters can have, and judges the newest.
func hosted(ctx context.Context, r kube.Reader) Found {
	f := Found{Component: Hosted}
	versions := &corev1.ConfigMap{}
	err := r.Get(ctx, types.NamespacedName{Namespace: hostedcluster.OperatorNamespace, Name: "supported-versions"},
		versions)
	switch {
	case apierrors.IsNotFound(err):
		f.Verdict, f.Detail = Absent, "HyperShift's operator is not there"
		return f
	case err != nil:
		f.Verdict, f.Detail = Unknown, kube.Explain(err)
		return f
	}
	supported, err := hostedversions.Parse(versions.Data["supported-versions"])
	if err != nil || len(supported) == 0 {
		f.Verdict, f.Detail = Unknown, "ConfigMap hypershift/supported-versions lists no version that can be read"
		return f
	}
	newest := slices.MaxFunc(supported, func(a, b string) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
	f = judge(Hosted, newest)
	f.Version = "up to " + newest
	return f
}

// Worst returns the verdict for the whole cluster: Untested comes before Unknown, and that before all others.
func Worst(all []Found) Verdict {
	for _, v := range []Verdict{Untested, Unknown, Known} {
		if slices.ContainsFunc(all, func(f Found) bool { return f.Verdict == v }) {
			return v
		}
	}
	return Tested
}
