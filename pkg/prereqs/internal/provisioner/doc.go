// Package provisioner finds out whether a provisioner makes the volumes of a StorageClass, as far as the API shows it.
// What the API does not show is unknown: neither healthy nor broken.
package provisioner
