package marketplace

import (
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/sandbox/aggregated"
)

// respond answers with the list, or with a Table of its items for clients that prefer one (kubectl get).
func respond(w http.ResponseWriter, r *http.Request, list packageManifestList, items []packageManifest) {
	if !wantsTable(r.Header.Get("Accept")) {
		aggregated.WriteJSON(w, http.StatusOK, list)
		return
	}
	table := metav1.Table{
		TypeMeta: metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "Table"},
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name"}, {Name: "Catalog", Type: "string"}, {Name: "Age", Type: "string"},
		},
		Rows: []metav1.TableRow{},
	}
	for i := range items {
		item := &items[i]
		age := duration.HumanDuration(time.Since(item.CreationTimestamp.Time))
		table.Rows = append(table.Rows, metav1.TableRow{
			Cells: []any{item.Name, item.Status.CatalogSourceDisplayName, age},
			Object: runtime.RawExtension{Object: &metav1.PartialObjectMetadata{
				TypeMeta:   metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "PartialObjectMetadata"},
				ObjectMeta: item.ObjectMeta,
			}},
		})
	}
	aggregated.WriteJSON(w, http.StatusOK, table)
}

// wantsTable reads only the first media type of an Accept header, which clients prefer most.
func wantsTable(accept string) bool {
	first, _, _ := strings.Cut(accept, ",")
	return strings.Contains(first, "as=Table")
}
