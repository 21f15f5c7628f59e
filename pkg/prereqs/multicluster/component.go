package multicluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Component is the prerequisite of this file.
const Component step.ID = "multicluster/component"

// errNoEngine means that there is no MultiClusterEngine to change.
var errNoEngine = errors.New("there is no MultiClusterEngine")

// hypershiftComponent enables the components of multicluster engine that install HyperShift. From 2.4 on they are
// enabled by default.
type hypershiftComponent struct {
	o Options
}

func (s hypershiftComponent) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Component, Title: "hypershift component", Needs: []step.ID{Engine},
		Check: s.check, Apply: s.apply, Timeout: 10 * time.Minute,
		TakesOver: "turns the components that hosted clusters need on although somebody has turned them off",
		Replaces:  []string{"spec.overrides.components"},
		Rights: prereq.Rights{
			Check: []access.Rule{prereq.ListEngine(), listHub()},
			Apply: []access.Rule{patchEngine(), patchHub()},
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
	hub, err := prereq.Hub(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("MultiClusterHubs")
	}
	return s.judge(mce, hub)
}

// judge judges the components of the engine, and those of a hub, which win: Advanced Cluster Management 2.7 and later
// rewrites its own entries in the engine whenever they differ.
func (s hypershiftComponent) judge(mce, hub *unstructured.Unstructured) step.Finding {
	owner := mce
	if hub != nil {
		owner = hub
	}
	object := describeOwner(owner)
	version, list := prereq.EngineVersion(mce), componentsOf(mce)
	if version.Major() == 0 {
		return step.Pending("it does not report its version yet, and with it the name of the component").
			On("%s", describeOwner(mce))
	}
	off := componentsOff(mce, hub)
	if len(off) == 0 {
		if pending := componentsOff(mce, nil); len(pending) > 0 {
			if hub != nil && isPausedHub(hub) {
				return pausedHub(hub)
			}
			return step.Pending("%s, and %s has not turned it on there yet", describeOff(pending), object).
				On("%s", describeOwner(mce))
		}
		return step.OK("component %s is on", hypershiftName(version)).On("%s", describeOwner(mce))
	}
	if _, exists := list.enabled(off[0]); !exists && hub == nil && kube.Text(mce, "status", "phase") != phaseAvailable {
		return step.Pending("it has not filled in its components yet").On("%s", object)
	}
	if f := clusterAPIConflict(mce, owner, off[0]); f != nil {
		return f.On("%s", object)
	}
	if f := keptOff(owner, off); f != nil {
		return f.On("%s", object)
	}
	if closed := s.o.offOnPurpose(off, list, componentsOf(hub)); len(closed) > 0 {
		return turnedOff(owner, closed).On("%s", object)
	}
	return step.Missing("%s", describeOff(off)).On("%s", object)
}

// keptOff returns a finding if a tool such as GitOps keeps one of the components off, else nil.
func keptOff(owner *unstructured.Unstructured, off []string) *step.Finding {
	for _, name := range off {
		if _, exists := componentsOf(owner).enabled(name); !exists {
			continue
		}
		if f := prereq.KeptByTool(owner, "component "+name+" is off", entryPath(name)...); f != nil {
			return f
		}
	}
	return nil
}

// entryPath returns the path of the field that enables a component.
func entryPath(name string) []string {
	return []string{"spec", "overrides", "components", "[name=" + name + "]", "enabled"}
}

// clusterAPIConflict returns a finding if the engine's webhook refuses hypershift beside components of Cluster API, as
// it does from 2.10 on, else nil.
func clusterAPIConflict(mce, owner *unstructured.Unstructured, name string) *step.Finding {
	version, clusterAPI := prereq.EngineVersion(mce), componentsOf(mce).clusterAPI()
	if len(clusterAPI) == 0 || prereq.EngineBefore(version, 10) || !strings.HasPrefix(name, componentHypershift) {
		return nil
	}
	f := step.Broken("%s is off, and multicluster engine %s refuses it beside %s, which is on", name, version,
		prereq.Listed(componentsOf(mce).names(clusterAPI)))
	if owner != mce {
		f = f.WithHint("if nobody needs Cluster API here, disable those in spec.overrides.components: oc edit "+
			"multiclusterhub %s -n %s", owner.GetName(), owner.GetNamespace())
		return &f
	}
	f = f.WithHint("if nobody needs Cluster API here: oc patch mce %s --type=json -p '%s'", mce.GetName(),
		componentsOf(mce).disabling(clusterAPI))
	return &f
}

// turnedOff returns the finding about components that are on by default and that were turned off.
func turnedOff(owner *unstructured.Unstructured, names []string) step.Finding {
	return step.Broken("%s, and on by default: somebody has turned it off%s", describeOff(names),
		prereq.SetBy(owner, entryPath(names[0])...)).
		WithHint("if hosted clusters are to run here: %s",
			hint.Run("bootstrap").Flag("enable-component", strings.Join(names, ",")))
}

func describeOff(off []string) string {
	if len(off) == 1 {
		return fmt.Sprintf("component %s is off", off[0])
	}
	return "components are off: " + strings.Join(off, ", ")
}

// componentsOff returns the disabled components that hosting needs, with their names in this version. Local hosting
// exists since 2.2. Entries of the hub win over those of the engine.
func componentsOff(mce, hub *unstructured.Unstructured) []string {
	version, list, over := prereq.EngineVersion(mce), componentsOf(mce), componentsOf(hub)
	names := []string{hypershiftName(version)}
	_, exists := list.enabled(componentLocalHosting)
	_, named := over.enabled(componentLocalHosting)
	if exists || named {
		names = append(names, componentLocalHosting)
	}
	var off []string
	for _, name := range names {
		on, _ := list.enabled(name)
		if written, exists := over.enabled(name); exists {
			on = written
		}
		if !on {
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
	hub, err := prereq.Hub(ctx, c)
	if err != nil {
		return "", err
	}
	off := componentsOff(mce, hub)
	switch {
	case len(off) == 0:
		return step.Unchanged, nil
	case hub != nil:
		return enableComponents(ctx, c, hub, off...)
	}
	return enableComponents(ctx, c, mce, off...)
}
