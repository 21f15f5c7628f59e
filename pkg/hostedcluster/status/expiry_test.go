package status

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// ending is an item that ends so long after now.
func ending(class expiry.Class, name string, left time.Duration) *expiry.Item {
	v := health.Validity{Until: now.Add(left)}
	verdict := v.Judge(now)
	verdict.Message = "it " + verdict.Message
	return &expiry.Item{Class: class, Kind: "Secret", Name: name, Verdict: verdict, Until: v.Until}
}

func unreadItem(class expiry.Class) *expiry.Item {
	return &expiry.Item{Class: class, Kind: "Secrets", Name: "clusters-kv-00", Unread: true,
		Verdict: health.Verdict{Finding: step.Unknown("not allowed")}}
}

func TestExpiryIsPartOfTheVerdict(t *testing.T) {
	const day = 24 * time.Hour
	for name, tc := range map[string]struct {
		items []*expiry.Item
		// want are health and message of the whole, and the parts of Expiry; first is the column.
		want, first string
	}{
		"good": {[]*expiry.Item{ending(expiry.Kubeconfig, "admin", 400*day), ending(expiry.ControlPlane, "a", 90*day),
			ending(expiry.ControlPlane, "b", 80*day)}, `ok 
ok Expiry  3/3: the first end is at 2026-05-20
ok Secret admin: it ends at 2027-04-05
ok Secrets clusters-kv-00: 2 certificates of the control plane, the first ends at 2026-05-20`,
			"2026-05-20 control-plane"},
		"soon": {[]*expiry.Item{ending(expiry.Kubeconfig, "admin", 400*day), ending(expiry.Dex, "dex", 3*day)},
			`warning Secret dex: it ends at 2026-03-04
warning Expiry  1/2: the first end is at 2026-03-04
warning Secret dex: it ends at 2026-03-04
ok Secret admin: it ends at 2027-04-05`, "2026-03-04 dex"},
		"over": {[]*expiry.Item{ending(expiry.ArgoCD, "argo", -day), ending(expiry.ControlPlane, "a", 90*day),
			ending(expiry.ControlPlane, "b", -2*day)}, `failing Secret argo: it has ended at 2026-02-28
failing Expiry  1/3: the first end is at 2026-02-27
failing Secret argo: it has ended at 2026-02-28
failing Secrets clusters-kv-00: 2 certificates of the control plane, the first ends at 2026-02-27
failing Secret b: it has ended at 2026-02-27`, "2026-02-27 control-plane"},
		"not allowed": {[]*expiry.Item{ending(expiry.Kubeconfig, "admin", 400*day), unreadItem(expiry.ControlPlane)},
			`unknown Secrets clusters-kv-00: not allowed
unknown Expiry  1/2: the first end is at 2027-04-05
unknown Secrets clusters-kv-00: not allowed
ok Secret admin: it ends at 2027-04-05`, "2027-04-05 admin-kubeconfig ?"},
		"nothing": {[]*expiry.Item{unreadItem(expiry.Kubeconfig)}, `unknown Secrets clusters-kv-00: not allowed
unknown Expiry  0/1: 
unknown Secrets clusters-kv-00: not allowed`, "?"},
	} {
		v := healthy(t)
		r := v.whole()
		r.addExpiry(tc.items)
		lines := []string{r.Health.String() + " " + r.Message}
		var tell func(p Part)
		tell = func(p Part) {
			count := ""
			if p.Ready != nil {
				count = " " + strings.Join([]string{strconv.Itoa(*p.Ready), strconv.Itoa(*p.Total)}, "/")
			}
			lines = append(lines, p.Health.String()+" "+p.Kind+" "+p.Name+count+": "+p.Message)
			for _, sub := range p.Parts {
				tell(sub)
			}
		}
		tell(r.Expiry)
		if diff := cmp.Diff(tc.want, strings.Join(lines, "\n")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if r.Expires != tc.first {
			t.Errorf("%s: column %q, want %q", name, r.Expires, tc.first)
		}
	}
	v := healthy(t)
	deleted := fresh
	v.hc.DeletionTimestamp = &deleted
	r := v.whole()
	r.addExpiry(nil)
	if r.Expiry.Health != Progressing || r.Expiry.Ready != nil {
		t.Errorf("being deleted: %+v", r.Expiry)
	}
}
