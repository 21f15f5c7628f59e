// Package catalog holds the operator catalogs of a sandbox as data: which packages, channels and versions an OpenShift
// of a given profile is offered, and what each bundle brings. Bundles carry the operators' real names, install modes,
// suggested namespaces, Deployments and CRDs; their images are never run.
//
// Sources: the ClusterServiceVersions in the operators' own repositories (openshift/local-storage-operator,
// red-hat-storage/odf-operator and ocs-operator, openshift/lvm-operator, kubevirt/hyperconverged-cluster-operator,
// openshift/metallb-operator, stolostron/backplane-operator); versions per OpenShift are in table.go.
package catalog
