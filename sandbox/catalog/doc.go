// Package catalog holds the operator catalogs of a sandbox as data: the packages, channels and versions that a
// profile's OpenShift offers, and the contents of each bundle. Bundles have the operators' real names, install modes,
// suggested namespaces, Deployments and CRDs; their images never run.
//
// Sources: the ClusterServiceVersions in the operators' own repositories (openshift/local-storage-operator,
// red-hat-storage/odf-operator and ocs-operator, openshift/lvm-operator, kubevirt/hyperconverged-cluster-operator,
// openshift/metallb-operator, stolostron/backplane-operator). table.go has the versions of each OpenShift.
package catalog
