package storage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/provisioner"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// SingleDefaultClass is the prerequisite of this file.
const SingleDefaultClass step.ID = "storage/single-default-class"

// singleDefaultClass checks that only one class is the default. hcctl changes nothing, because only a user can decide
// which one stays.
type singleDefaultClass struct{ common }

func (s singleDefaultClass) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: SingleDefaultClass, Title: "one default StorageClass only", Severity: step.Advisory,
		Needs:     []step.ID{DefaultClass},
		Check:     s.check,
		Rights:    prereq.Rights{Check: append(listStorage("storageclasses.storage.k8s.io"), provisioner.RightsDead()...)},
		Preflight: &prereq.Preflight{For: func(w prereq.Wanted) bool { return w.DefaultClass }},
	}
}

func (s singleDefaultClass) check(ctx context.Context, r kube.Reader) step.Finding {
	classes, f := s.classes(ctx, r)
	if f != nil {
		return *f
	}
	return judgeSingle(s.aliveFirst(ctx, r, classes))
}

// aliveFirst makes the classes without a running provisioner the oldest, so that none of them is proposed as the one to
// keep.
func (s singleDefaultClass) aliveFirst(ctx context.Context, r kube.Reader,
	classes []storagev1.StorageClass) []storagev1.StorageClass {
	if len(defaultsOf(classes)) < 2 && len(virtDefaultsOf(classes)) < 2 {
		return classes
	}
	out := slices.Clone(classes)
	for i := range out {
		if unusable(&out[i]) != "" || s.dead(ctx, r, &out[i]) != nil {
			out[i].CreationTimestamp = metav1.Time{}
		}
	}
	return out
}

func judgeSingle(classes []storagev1.StorageClass) step.Finding {
	if marked := defaultsOf(classes); len(marked) > 1 {
		return severalDefaults(marked, step.Missing)
	}
	if virt := classNames(virtDefaultsOf(classes)); len(virt) > 1 {
		return step.Missing("%d classes are marked as default for virtual machines: %s; the newest is taken for their disks",
			len(virt), strings.Join(virt, ", ")).On("StorageClasses").
			WithHint("to keep %s: oc annotate storageclass %s %s-", virt[0], strings.Join(virt[1:], " "), virtClassAnnotation)
	}
	return step.OK("not more than one")
}

func severalDefaults(marked []storagev1.StorageClass, as func(string, ...any) step.Finding) step.Finding {
	names := classNames(marked)
	return as("%d classes are marked as default: %s; one must remain", len(marked), strings.Join(names, ", ")).
		On("StorageClasses").
		WithHint("%s keeps that one and unmarks the others; so does: %s",
			hint.Run("bootstrap").Flag("default-storage-class", names[0]), unmarkByHand(names[1:]))
}

func unmarkByHand(classes []string) string {
	var commands []string
	for _, class := range classes {
		commands = append(commands, fmt.Sprintf(`oc patch storageclass %s -p '{"metadata":{"annotations":{%q:"false"}}}'`,
			class, defaultClassAnnotation))
	}
	return strings.Join(commands, "; ")
}

// unmarked returns a finding if a user or tool has set the default mark of the class to false, by its annotation or in
// its StorageCluster. Else it returns nil.
func (s defaultClass) unmarked(ctx context.Context, r kube.Reader, name string) *step.Finding {
	classes, err := storageClasses(ctx, r)
	if err != nil {
		return unread(err, "StorageClasses")
	}
	clusters, err := storageClusters(ctx, r)
	if err != nil && !kube.IsKindMissing(err) {
		return unread(err, "StorageClusters")
	}
	var f *step.Finding
	if i := slices.IndexFunc(clusters, func(u unstructured.Unstructured) bool { return blockClass(&u) == name }); i >= 0 {
		if want, set, _ := unstructured.NestedBool(clusters[i].Object, defaultField()...); set && !want {
			f = s.o.TakeOver.Decided(DefaultClass, &clusters[i], strings.Join(defaultField(), ".")+" is false",
				defaultField()...)
			setObject(f, "StorageCluster "+kube.Name(&clusters[i]))
		}
	}
	i := slices.IndexFunc(classes, func(sc storagev1.StorageClass) bool { return sc.Name == name })
	if f == nil && i >= 0 && classes[i].Annotations[defaultClassAnnotation] == "false" && !markedByLVM(&classes[i]) {
		f = s.o.TakeOver.Decided(DefaultClass, &classes[i], "its annotation "+defaultClassAnnotation+" is false", "metadata",
			"annotations", defaultClassAnnotation)
		setObject(f, "StorageClass "+name)
	}
	if f != nil && strings.Contains(f.Hint.String(), hint.Flag("take-over").String()) {
		*f = f.WithHint("%s, or %s NAME", f.Hint, hint.Flag("default-storage-class"))
	}
	return f
}

func setObject(f *step.Finding, object string) {
	if f != nil {
		*f = f.On("%s", object)
	}
}

// keptMark returns a finding if a tool such as GitOps owns a mark that would have to be changed, else nil.
func keptMark(classes []storagev1.StorageClass, name string) *step.Finding {
	for i := range classes {
		value, marked := classes[i].Annotations[defaultClassAnnotation]
		if !marked || (value == "true") == (classes[i].Name == name) {
			continue
		}
		f := prereq.KeptByTool(&classes[i], "its annotation "+defaultClassAnnotation+" is "+strconv.Quote(value), "metadata",
			"annotations", defaultClassAnnotation)
		if f != nil {
			setObject(f, "StorageClass "+classes[i].Name)
			return f
		}
	}
	return nil
}
