package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/provisioner"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	DefaultClass      step.ID = "storage/default-class"
	removeDefaultMark step.ID = "uninstall/default-class"
)

// defaultClass marks a StorageClass as default, for claims without a class such as those of hosted control planes. A
// class that the options name becomes the only default.
type defaultClass struct{ common }

func (s defaultClass) prerequisite() prereq.Prerequisite {
	out := prereq.Prerequisite{
		ID: DefaultClass, Title: "default StorageClass", Needs: []step.ID{Cluster, LVMCluster, HostPath},
		Check: s.check, Apply: s.apply, Timeout: 10 * time.Minute,
		TakesOver: "marks the class of the storage that hcctl builds on although somebody has set its mark to false",
		Replaces: []string{"metadata.annotations[" + defaultClassAnnotation + "]",
			"metadata.annotations[" + betaDefaultClassAnnotation + "]",
			strings.Join(defaultField(), "."), "spec.storage.deviceClasses"},
		Rights: prereq.Rights{
			Check: slices.Concat(planRights(), provisioner.RightsDead(), clientRights(), olm.CheckRights()),
			Apply: []access.Rule{writeStorageCluster(), markClasses(), writeLVMCluster()},
			Remove: []access.Rule{{Verbs: "get patch", Resources: "storageclasses.storage.k8s.io",
				Features: []access.Feature{access.DefaultClass},
				Why: fmt.Sprintf("%s: takes the mark of the default class off, if hcctl put it on",
					hint.Flag("include-storage"))}},
		},
		Remove: []prereq.Removal{claims{}.removal(), {ID: removeDefaultMark, Title: "default StorageClass",
			Needs: []step.ID{removeClaims}, Check: markRemoval{}.check, Apply: markRemoval{}.apply}},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.DefaultClass }},
	}
	if s.o.Mode == ModeNone || s.o.Mode == ModeExisting && s.o.DefaultClass == "" {
		out.Apply = nil
	}
	return out
}

func (s defaultClass) check(ctx context.Context, r kube.Reader) step.Finding {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return *f
	}
	if s.o.DefaultClass != "" {
		return s.checkChosen(ctx, r, classes)
	}
	marked := defaultsOf(classes)
	usable := slices.ContainsFunc(marked, func(sc storagev1.StorageClass) bool { return unusable(&sc) == "" })
	switch {
	case len(marked) == 0, !usable && s.o.Mode != ModeExisting:
		return s.checkNone(ctx, r, marked)
	case unusable(&marked[0]) != "":
		return step.Broken("the default class %s", unusable(&marked[0])).On("StorageClass %s", marked[0].Name).
			WithHint("choose another: %s", hint.Run("bootstrap").Flag("default-storage-class", "NAME"))
	}
	if f := s.deadOf(ctx, r, classes); f != nil {
		return *f
	}
	if len(marked) > 1 {
		version, err := prereq.OpenShift(ctx, r)
		if err != nil {
			return kube.Unknown(err)
		}
		// Kubernetes 1.25 (OpenShift 4.12) refuses claims without a class if two classes are marked.
		if version.Major() == 4 && version.Minor() <= 12 {
			return severalDefaults(marked, step.Broken)
		}
	}
	return s.defaultFinding(ctx, r, &marked[0])
}

// defaultFinding reports the default class. If it is not the class of the requested storage, the message says so.
func (s defaultClass) defaultFinding(ctx context.Context, r kube.Reader, class *storagev1.StorageClass) step.Finding {
	f := step.OK("provisioner %s", class.Provisioner).On("StorageClass %s", class.Name)
	if mode := s.o.mode(); mode != ModeDataFoundation && mode != ModeLVM && mode != ModeHostPath {
		return f
	}
	if own, _ := s.ownClass(ctx, r); own.name != "" && own.name != class.Name {
		f.Message += fmt.Sprintf("; kept as the default rather than %s, which %s would make it", own.name,
			hint.Run("bootstrap").Flag("default-storage-class", own.name))
	}
	return f
}

// checkNone reports which class will become the default, if no usable class is marked.
func (s defaultClass) checkNone(ctx context.Context, r kube.Reader, marked []storagev1.StorageClass) step.Finding {
	none := "no StorageClass is the default one"
	if len(marked) > 0 {
		none = fmt.Sprintf("the default class %s %s", marked[0].Name, unusable(&marked[0]))
	}
	own, f := s.ownClass(ctx, r)
	switch {
	case f != nil:
		return *f
	case own.cluster == "":
		return step.Missing("%s", none).On("StorageClasses").
			WithHint("mark one that is there (%s), or have storage installed: %s or %s",
				hint.Run("bootstrap").Flag("default-storage-class", "NAME"), hint.Run("bootstrap").Flag("storage", "odf"),
				hint.Run("bootstrap").Flag("storage", "lvms"))
	case own.name == "":
		return step.Broken("%s, and this one makes none (disableStorageClass)", none).On("%s", own.cluster).
			WithHint("choose one that is there: %s", hint.Run("bootstrap").Flag("default-storage-class", "NAME"))
	case !own.exists && own.storageCluster != nil:
		return s.awaited(ctx, r, own.storageCluster, own.name, none)
	case !own.exists:
		return step.Pending("%s; it has not created its class %s yet", none, own.name).On("%s", own.cluster)
	}
	if f := s.unmarked(ctx, r, own.name); f != nil {
		return *f
	}
	if f := pendingMark(ctx, r, own.class); f != nil {
		if len(marked) > 0 {
			*f = step.Broken("%s: it does so once no other class is marked; %s", f.Message, none).On("%s", f.Object).
				WithHint("unmark the others: %s", hint.Run("bootstrap").Flag("default-storage-class", own.name))
		}
		return *f
	}
	return step.Missing("it is not marked as default; %s", none).On("StorageClass %s", own.name)
}

// checkChosen checks that the class the user has named is the only default.
func (s defaultClass) checkChosen(ctx context.Context, r kube.Reader, classes []storagev1.StorageClass) step.Finding {
	name := s.o.DefaultClass
	i := slices.IndexFunc(classes, func(sc storagev1.StorageClass) bool { return sc.Name == name })
	if i < 0 {
		return s.checkFuture(ctx, r, classes)
	}
	class := &classes[i]
	if why := unusable(class); why != "" {
		return step.Broken("%s %s: it %s", hint.Flag("default-storage-class"), name, why).On("StorageClass %s", name).
			WithHint("name another: %s", prereq.Listed(usableNames(classes)))
	}
	if f := s.dead(ctx, r, class); f != nil {
		return *f
	}
	if f := keptMark(classes, name); f != nil {
		return *f
	}
	otherDefaults := slices.DeleteFunc(classNames(defaultsOf(classes)), func(other string) bool { return other == name })
	if len(otherDefaults) == 0 {
		if f := pendingMark(ctx, r, class); f != nil {
			return *f
		}
	}
	switch {
	case !markedDefault(class):
		return step.Missing("it is to be the default class and is not marked as such").On("StorageClass %s", name)
	case len(otherDefaults) > 0:
		return step.Missing("it is to be the only default class, but so is %s", strings.Join(otherDefaults, ", ")).
			On("StorageClass %s", name)
	}
	return step.OK("provisioner %s", class.Provisioner).On("StorageClass %s", name)
}

// checkFuture checks a class that the user has named and that does not exist: hcctl may be about to have it made.
func (s defaultClass) checkFuture(ctx context.Context, r kube.Reader, classes []storagev1.StorageClass) step.Finding {
	name := s.o.DefaultClass
	facts, f := s.facts(ctx, r)
	if f != nil {
		return *f
	}
	facts.classes = classes
	var makers []string
	if slices.Contains(facts.dataFoundationClasses(), name) &&
		planStorage(s.o.Options, facts).source == sourceDataFoundation {
		makers = append(makers, "OpenShift Data Foundation")
	}
	if slices.Contains(facts.plannedLVMClasses(), name) && planStorage(s.o.Options, facts).source == sourceLVM {
		makers = append(makers, "LVM Storage")
	}
	if name == hostPathClass && planStorage(s.o.Options, facts).source == sourceHostPath {
		makers = append(makers, "hcctl")
	}
	switch {
	case len(makers) == 0:
		return step.Broken("%s %s: there is no such class, and nothing hcctl installs would make it",
			hint.Flag("default-storage-class"), name).On("StorageClass %s", name).
			WithHint("name one that is there: %s", prereq.Listed(usableNames(classes)))
	case strings.HasSuffix(name, virtualizationSuffix):
		return step.Pending("%s makes it once OpenShift Virtualization is there as well", makers[0]).
			On("StorageClass %s", name)
	}
	if len(facts.storageClusters) > 0 && slices.Contains(facts.dataFoundationClasses(), name) {
		return s.awaited(ctx, r, activeStorageCluster(facts.storageClusters), name, "it is to be the default class")
	}
	return step.Pending("%s has not created it yet", makers[0]).On("StorageClass %s", name)
}

func usableNames(classes []storagev1.StorageClass) []string {
	return classNames(slices.DeleteFunc(slices.Clone(classes),
		func(sc storagev1.StorageClass) bool { return unusable(&sc) != "" }))
}

func (s defaultClass) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	classes, err := storageClasses(ctx, c)
	if err != nil {
		return "", err
	}
	name := s.o.DefaultClass
	if name == "" {
		own, f := s.ownClass(ctx, c)
		switch {
		case f != nil:
			return "", errors.New(f.Message)
		case own.name == "":
			return "", errors.New("there is neither a StorageCluster nor an LVMCluster whose class could be the default one")
		}
		return s.mark(ctx, c, own.name, classes)
	}
	// Mark the new class first, so that there is always a default class.
	change, err := s.mark(ctx, c, name, classes)
	for _, other := range defaultsOf(classes) {
		if err == nil && other.Name != name {
			var unmarked step.Change
			unmarked, err = s.unmark(ctx, c, &other)
			change = step.Join(change, unmarked)
		}
	}
	return change, err
}
