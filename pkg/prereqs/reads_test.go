package prereqs

import (
	"slices"
	"strings"
	"testing"

	rulepkg "github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// allows reports whether a rule has the request.
func allows(r rulepkg.Rule, q prereqtest.Request) bool {
	has := func(list, one string) bool { return slices.Contains(strings.Fields(list), one) }
	return has(r.Verbs, q.Verb) && has(r.Resources, q.Resource) && (r.Names == "" || has(r.Names, q.Name)) &&
		(r.At.Namespace() == "" || r.At.Namespace() == q.Namespace)
}

// someObjects are of a cluster on which the checks go further than on an empty one.
const someObjects = `
{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version},
  status: {history: [{state: Completed, version: 4.20.3}], conditions: [{type: Available, status: "True"}]}}
---
{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster},
  status: {platformStatus: {type: BareMetal}}}
---
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster},
  status: {networkType: OVNKubernetes, clusterNetwork: [{cidr: 10.128.0.0/14, hostPrefix: 23}]}}
---
{apiVersion: config.openshift.io/v1, kind: Ingress, metadata: {name: cluster}}
---
{apiVersion: operator.openshift.io/v1, kind: IngressController,
  metadata: {name: default, namespace: openshift-ingress-operator},
  spec: {routeAdmission: {wildcardPolicy: WildcardsAllowed}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: pull-secret, namespace: openshift-config},
  type: kubernetes.io/dockerconfigjson}
---
{apiVersion: v1, kind: Node, metadata: {name: w1, labels: {node-role.kubernetes.io/worker: ""}}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: example.com/x}
---
{apiVersion: multicluster.openshift.io/v1, kind: MultiClusterEngine, metadata: {name: multiclusterengine},
  status: {currentVersion: 2.9.0}}
`

// What a check asks of the API server is in the rights of its own prerequisite, on an empty cluster and on one that has
// something.
func TestRightsCoverWhatChecksRead(t *testing.T) {
	for world, objects := range map[string]string{"empty": "", "some": someObjects} {
		r := prereqtest.Serve(t, objects)
		r.RegisterAll()
		reads := 0
		for _, p := range prerequisites(ValidatedDefaults(), nil) {
			prereqtest.Check(t, r.Client, []prereq.Prerequisite{p}, p.ID)
			for _, q := range r.Take() {
				reads++
				if !slices.ContainsFunc(p.Rights.Check, func(rule rulepkg.Rule) bool { return allows(rule, q) }) {
					t.Errorf("%s cluster: %s reads %+v, and its rights do not say so", world, p.ID, q)
				}
			}
		}
		if reads < 100 {
			t.Errorf("%s cluster: only %d reads", world, reads)
		}
	}
}

// The steps of uninstall that look read nothing beyond its role, also where it was printed without the optional groups.
func TestRightsCoverWhatRemovalReads(t *testing.T) {
	for world, objects := range map[string]string{"empty": "", "some": someObjects} {
		api := prereqtest.Serve(t, objects)
		api.RegisterAll()
		for _, s := range Removal(api.Client, RemovalOptions{IncludeStorage: true}) {
			api.Take()
			s.Check(t.Context(), nil)
			for _, q := range api.Take() {
				if q.Verb != "list" && q.Verb != "watch" && !slices.ContainsFunc(Rights().Uninstall, func(r rulepkg.Rule) bool {
					return len(r.Features) == 0 && allows(r, q)
				}) {
					t.Errorf("%s cluster: %s reads %+v, and the rights of uninstall do not say so", world, s.ID, q)
				}
			}
		}
	}
}
