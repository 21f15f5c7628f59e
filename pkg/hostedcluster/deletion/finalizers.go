package deletion

import (
	"fmt"
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

// maxNamed is the maximum number of names in a message.
const maxNamed = 3

// few joins the first maxNamed names and counts the others.
func few(things []string) string {
	if len(things) <= maxNamed {
		return strings.Join(things, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(things[:maxNamed], ", "), len(things)-maxNamed)
}
