package kubetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// ServePaths starts an API server with an answer for each path: a list, an object with "items", an object, or the code
// or metav1.Status that reads of the path get. Kinds without a path are not registered. Fields given by the path, and
// the UID, may be missing in the object.
func ServePaths(t testing.TB, answers map[string]any) *API {
	t.Helper()
	a := Serve(t)
	a.bare = true
	for _, path := range slices.Sorted(maps.Keys(answers)) {
		one, resource, isObject := parseRequest(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
		value := answers[path]
		if list, isList := value.([]any); isList {
			value = Object{"items": list}
		}
		if status, refused := value.(metav1.Status); refused {
			value = int(status.Code)
		}
		if code, refused := value.(int); refused {
			a.Refuse("get "+path, code)
			continue
		}
		answer := toObject(t, value)
		var gvk schema.GroupVersionKind
		if isObject {
			var err error
			if gvk, err = a.Client.RESTMapper().KindFor(resource); err != nil {
				t.Fatal(path, err)
			}
		}
		switch items, isList := answer["items"].([]any); {
		case !isObject:
			data, err := json.Marshal(answer)
			must(err)
			a.Path(path, string(data))
		case isList:
			for i, item := range items {
				a.complete(t, gvk, one, item.(Object), fmt.Sprintf("unnamed-%d", i))
			}
			a.server(t, gvk)
		default:
			a.complete(t, gvk, one, answer, one.Name)
		}
	}
	return a
}

// complete stores an object with the fields that its path gives.
func (a *API) complete(t testing.TB, gvk schema.GroupVersionKind, of Request, o Object, name string) {
	t.Helper()
	o["apiVersion"], o["kind"] = gvk.GroupVersion().String(), gvk.Kind
	meta, _ := o["metadata"].(Object)
	meta = maps.Clone(orEmpty(meta))
	if of.Name != "" || meta["name"] == nil {
		meta["name"] = name
	}
	if of.Namespace != "" {
		meta["namespace"] = of.Namespace
	}
	if meta["uid"] == nil {
		meta["uid"] = fmt.Sprint("uid-of-", meta["name"])
	}
	o["metadata"] = meta
	a.server(t, gvk).Set(o)
}

// toObject converts a value to an Object through JSON.
func toObject(t testing.TB, value any) Object {
	t.Helper()
	data, err := json.Marshal(value)
	must(err)
	var o Object
	if err := json.Unmarshal(data, &o); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return o
}
