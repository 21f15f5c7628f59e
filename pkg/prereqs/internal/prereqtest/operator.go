package prereqtest

import (
	"fmt"
	"strings"
	"time"
)

// ClusterVersion returns the ClusterVersion of a cluster with this version.
func ClusterVersion(version string) string {
	return fmt.Sprintf(`
---
{apiVersion: config.openshift.io/v1, kind: ClusterVersion, metadata: {name: version},
  status: {desired: {version: %[1]q}, history: [{state: Completed, version: %[1]q}],
    conditions: [{type: Available, status: "True"}]}}
`, version)
}

// Installed returns an operator that hcctl installed through OLM. csv is such as "odf-operator.v4.20.1".
func Installed(pkg, namespace, csv string) string {
	_, version, _ := strings.Cut(csv, ".v")
	return Subscription(pkg, namespace, csv) + fmt.Sprintf(`
---
{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: %s, namespace: %s},
  spec: {version: %s}, status: {phase: Succeeded, reason: InstallSucceeded}}
`, csv, namespace, version)
}

// Subscription returns a Subscription of hcctl with the OperatorGroup of its namespace. csv is the installed version,
// or "".
func Subscription(pkg, namespace, csv string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Namespace, metadata: {name: %[2]s, labels: {app.kubernetes.io/managed-by: hcctl}}}
---
{apiVersion: operators.coreos.com/v1, kind: OperatorGroup,
  metadata: {name: %[2]s, namespace: %[2]s, labels: {app.kubernetes.io/managed-by: hcctl}},
  spec: {targetNamespaces: [%[2]s]}}
---
{apiVersion: operators.coreos.com/v1alpha1, kind: Subscription,
  metadata: {name: %[1]s, namespace: %[2]s, labels: {app.kubernetes.io/managed-by: hcctl}},
  spec: {name: %[1]s, channel: stable, source: redhat-operators, sourceNamespace: openshift-marketplace,
    installPlanApproval: Automatic},
  status: {installedCSV: %[3]q, currentCSV: %[3]q}}
`, pkg, namespace, csv)
}

// Offered returns a package in Red Hat's catalog, with one channel that has one version.
func Offered(pkg, namespace, channel, csv string) string {
	return fmt.Sprintf(`
---
{apiVersion: packages.operators.coreos.com/v1, kind: PackageManifest,
  metadata: {name: %[1]s, namespace: openshift-marketplace},
  status: {packageName: %[1]s, catalogSource: redhat-operators, catalogSourceNamespace: openshift-marketplace,
    defaultChannel: %[3]s, channels: [{name: %[3]s, currentCSV: %[4]s, entries: [{name: %[4]s}], currentCSVDesc: {
      annotations: {operatorframework.io/suggested-namespace: %[2]s},
      installModes: [{type: OwnNamespace, supported: true}]}}]}}
`, pkg, namespace, channel, csv)
}

// Warning returns a new Warning Event about an object. Its UID is the one that an API gives to an object of that name.
func Warning(namespace, kind, name, reason, message string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Event, metadata: {name: %[3]s.%[4]s, namespace: %[1]s}, type: Warning, reason: %[4]s,
  message: %[5]q, count: 3, lastTimestamp: %[6]q,
  involvedObject: {kind: %[2]s, name: %[3]s, namespace: %[1]s, uid: uid-of-%[3]s}}
`, namespace, kind, name, reason, message, time.Now().UTC().Format(time.RFC3339))
}

// Deployment returns a Deployment in a namespace of its own, of which only the name matters.
func Deployment(name string) string {
	return fmt.Sprintf("\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: elsewhere}}\n",
		name)
}
