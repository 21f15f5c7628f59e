package multicluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"
	"github.com/hcctl/hcctl/pkg/rbac/rule"
	"github.com/hcctl/hcctl/pkg/step"
)

// Component is the prerequisite of this file.
const Component step.ID = "multicluster/component"

// errNoEngine means there is no MultiClusterEngine to change.
var errNoEngine = errors.New("there is no MultiClusterEngine")

// hypershiftComponent enables the components of multicluster engine that bring HyperShift. They are on by default from
// 2.4 on.
type hypershiftComponent struct{}

func (s hypershiftComponent) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Component, Title: "hypershift component", Needs: []step.ID{Engine},
		Check: s.check, Apply: s.apply, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{
			Check: []rule.Rule{prereq.ListEngine()},
			Apply: []rule.Rule{patchEngine()},
		},
		RemovedWith: Engine,
	}
}

func (s hypershiftComponent) check(ctx context.Context, r kube.Reader) step.Finding {
	mce, err := prereq.Engine(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterEngines")
	case mce == nil:
		return step.Missing("%v", errNoEngine).On("MultiClusterEngine %s", engineName)
	}
	return judgeComponents(mce).On("MultiClusterEngine %s", mce.GetName())
}

func judgeComponents(mce *unstructured.Unstructured) step.Finding {
	version, list := prereq.EngineVersion(mce), componentsOf(mce)
	if version.Major() == 0 {
		return step.Pending("it does not tell its version yet, and with it the name of the component")
	}
	off := componentsOff(mce)
	if len(off) == 0 {
		return step.OK("component %s is on", hypershiftName(version))
	}
	if _, there := list.enabled(off[0]); !there && kube.Text(mce, "status", "phase") != "Available" {
		return step.Pending("it has not filled in its components yet")
	}
	if rivals := list.rivals(); len(rivals) > 0 && !prereq.EngineBefore(version, 10) &&
		strings.HasPrefix(off[0], "hypershift") {
		return step.Broken("%s is off, and multicluster engine %s refuses it beside %s, which is on", off[0], version,
			prereq.Listed(list.names(rivals))).
			WithHint("if nobody needs Cluster API here: oc patch mce %s --type=json -p '%s'", mce.GetName(),
				list.disabling(rivals))
	}
	return step.Missing("%s", describeOff(off))
}

func describeOff(off []string) string {
	if len(off) == 1 {
		return fmt.Sprintf("component %s is off", off[0])
	}
	return "components are off: " + strings.Join(off, ", ")
}

// componentsOff are the components to turn on for hosting, as this version calls them. Local hosting came with 2.2.
func componentsOff(mce *unstructured.Unstructured) []string {
	version, list := prereq.EngineVersion(mce), componentsOf(mce)
	names := []string{hypershiftName(version)}
	if _, there := list.enabled(componentLocalHosting); there {
		names = append(names, componentLocalHosting)
	}
	var off []string
	for _, name := range names {
		if on, _ := list.enabled(name); !on {
			off = append(off, name)
		}
	}
	return off
}

func (s hypershiftComponent) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	mce, err := prereq.Engine(ctx, c)
	switch {
	case err != nil:
		return "", err
	case mce == nil:
		return "", errNoEngine
	}
	off := componentsOff(mce)
	if len(off) == 0 {
		return step.Unchanged, nil
	}
	return enableComponents(ctx, c, mce, off...)
}
