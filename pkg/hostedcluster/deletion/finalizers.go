package deletion

import (
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// held is about an object that is being deleted: which finalizers hold it, and who takes them off.
func held(o client.Object, words string) step.Finding {
	finalizers := kube.Finalizers(o)
	if finalizers == "" {
		return step.Pending("%s", words)
	}
	f := step.Pending("%s; held by %s", words, finalizers)
	if foreign := kube.UnknownFinalizers(o); len(foreign) > 0 {
		f.Hint = fmt.Sprintf(
			"hcctl does not know who takes %s off: whoever put it there has to; docs/delete.md says what to do if nobody will",
			strings.Join(foreign, ", "),
		)
	}
	return f
}

// fewest is how many things a message names.
const fewest = 3

// few joins things for a person: the first of them, and how many more there are.
func few(things []string) string {
	if len(things) <= fewest {
		return strings.Join(things, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(things[:fewest], ", "), len(things)-fewest)
}
