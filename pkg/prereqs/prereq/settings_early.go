package prereq

import (
	"context"
	_ "embed" // the fields of operators' objects
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/crdschema"
	"github.com/hcctl/hcctl/pkg/step"
)

// SettingsFit is the prerequisite of this file.
const SettingsFit step.ID = "cluster/settings"

// operators.json.gz has the specs of kinds by operator release, packed from package contracts.
//
//go:embed operators.json.gz
var packed []byte

var operatorFields = sync.OnceValue(func() crdschema.Fields { return crdschema.Unpack(packed) })

// Planned are settings of an object that may not exist yet.
type Planned struct {
	Settings *Settings
	Kind     kube.Kind
	// Version returns the version of the installed operator, or of the one that would be installed.
	Version func(context.Context, kube.Reader) (*semver.Version, error)
}

// fields returns the schema of the object's spec: from the CRD, or from the release that would be installed (foreseen).
// It is nil if neither is known.
func (p Planned) fields(ctx context.Context, r kube.Reader) (fields *crdschema.Schema, foreseen bool, err error) {
	kind, err := kube.Stored(ctx, r, p.Kind)
	if err != nil {
		return nil, false, err
	}
	if fields, err = readSchema(ctx, r, kind); err != nil || fields != nil {
		return fields, false, err
	}
	version, err := p.Version(ctx, r)
	if err != nil {
		return nil, false, nil //nolint:nilerr // the operator's own step says why
	}
	fields = ofRelease(p.Kind, version)
	return fields, fields != nil, nil
}

// ofRelease returns the schema of a kind in the newest version that this operator release stores, or nil if unknown.
func ofRelease(kind kube.Kind, version *semver.Version) *crdschema.Schema {
	release := openshift.MinorNumber(version.Major(), version.Minor())
	versions := kind.Versions()
	for _, k := range slices.Backward(versions) {
		in := fmt.Sprintf("%s of %s, as %d.%d has it", k.Kind, k.GroupVersion(), version.Major(), version.Minor())
		if fields := operatorFields().Of(k.Kind+"/"+k.Version, release, in); fields != nil {
			return fields
		}
	}
	return nil
}

// SettingsPrerequisite checks settings against the schemas of their objects before anything is written.
func SettingsPrerequisite(planned []Planned, rights Rights, needs ...step.ID) Prerequisite {
	for _, p := range planned {
		rights.Check = append(rights.Check, ReadSettings(p.Kind))
	}
	return Prerequisite{ID: SettingsFit, Title: "settings of operators' objects", Needs: needs, Rights: rights,
		Check: func(ctx context.Context, r kube.Reader) step.Finding { return judgePlanned(ctx, r, planned) }}
}

func judgePlanned(ctx context.Context, r kube.Reader, planned []Planned) step.Finding {
	var valid, early, later []string
	for _, p := range planned {
		if p.Settings == nil {
			continue
		}
		fields, foreseen, err := p.fields(ctx, r)
		if err != nil {
			return kube.Unknown(err).On("CustomResourceDefinition %s.%s", p.Kind.Plural, p.Kind.Group)
		}
		if f := p.Settings.misfit(p.Kind, fields, foreseen); f != nil {
			return *f
		}
		switch {
		case fields == nil:
			later = append(later, p.Settings.Path)
		case foreseen:
			early = append(early, p.Settings.Path)
		default:
			valid = append(valid, p.Settings.Path)
		}
	}
	var parts []string
	if len(valid) > 0 {
		parts = append(parts, fmt.Sprintf("%s fit the CRDs of the cluster", strings.Join(valid, ", ")))
	}
	if len(early) > 0 {
		parts = append(parts, fmt.Sprintf("%s fit the operators to come, and are held to their CRDs once these are there",
			strings.Join(early, ", ")))
	}
	if len(later) > 0 {
		parts = append(parts, fmt.Sprintf("%s can be checked only once the operator is there, whose version is not known; a "+
			"field that it does not have ends the run then, and its object is not written", strings.Join(later, ", ")))
	}
	return step.OK("%s", strings.Join(parts, "; ")).On("settings")
}
