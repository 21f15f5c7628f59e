package deletion

import (
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// deletingFinding returns the finding about an object in deletion, with its finalizers and the controllers that remove
// them.
func deletingFinding(o client.Object, words string) step.Finding {
	finalizers := kube.Finalizers(o)
	if finalizers == "" {
		return step.Pending("%s", words)
	}
	f := step.Pending("%s; held by %s", words, finalizers)
	if foreign := kube.UnknownFinalizers(o); len(foreign) > 0 {
		f.Hint = hint.New("hcctl does not know what removes %s: whatever added it has to; docs/delete.md says what to do "+
			"if nothing does", strings.Join(foreign, ", "))
	}
	return f
}

// remainingOf returns the finding about objects that exist: one that is not in deletion, otherwise the first.
func remainingOf(objects []client.Object) step.Finding {
	for _, o := range objects {
		if o.GetDeletionTimestamp() == nil {
			return step.Missing("still there").On("%s %s", kindOf(o), kube.Name(o))
		}
	}
	return deletingFinding(objects[0], "being deleted").On("%s %s", kindOf(objects[0]), kube.Name(objects[0]))
}

// maxNamed is the maximum number of names in a message.
const maxNamed = 3
