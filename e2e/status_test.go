package e2e

import (
	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// reportCommand: report KIND [NAMESPACE/]NAME PATCH
//
// changes an object's status by a JSON merge patch, as an operator that is not hcctl.
func reportCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: report KIND [NAMESPACE/]NAME PATCH")
	}
	r, name, err := clusterOf(ts).one(args[0], args[1])
	ts.Check(err)
	ctx, cancel := requestContext()
	defer cancel()
	_, err = r.Patch(ctx, name, types.MergePatchType, []byte(args[2]), metav1.PatchOptions{FieldManager: "hcctl-e2e"},
		"status")
	ts.Check(err)
}
