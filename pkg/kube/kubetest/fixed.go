package kubetest

import (
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Fixed returns a connection to an API server that answers GET requests by their path, without a network: a list with
// the items of a []any, an object as it is, a refusal with the code of an int. The first item of a list needs
// apiVersion and kind. Other paths are unknown, and an object below a known list is not found. Each request is told to
// asked, which may be nil.
func Fixed(answers map[string]any, asked func(*http.Request)) *rest.Config {
	return Connect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked != nil {
			asked(r)
		}
		parent := r.URL.Path[:strings.LastIndex(r.URL.Path, "/")]
		switch answer := answers[r.URL.Path].(type) {
		case []any:
			Reply(w, http.StatusOK, listOf(answer))
		case int:
			Refuse(w, answer, metav1.StatusReasonForbidden)
		case nil:
			if _, known := answers[parent].([]any); known {
				Refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
				return
			}
			http.Error(w, "404 page not found", http.StatusNotFound)
		default:
			Reply(w, http.StatusOK, answer)
		}
	}))
}

func listOf(items []any) Object {
	list := Object{"apiVersion": "v1", "kind": "List", "metadata": Object{"resourceVersion": "1"}, "items": items}
	if len(items) > 0 {
		if first, ok := items[0].(Object); ok && first["kind"] != nil {
			list["apiVersion"], list["kind"] = first["apiVersion"], fmt.Sprint(first["kind"])+"List"
		}
	}
	return list
}
