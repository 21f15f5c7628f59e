// Package provisioner finds out whether anybody makes the volumes of a StorageClass, as far as the API shows it. What
// it does not show is not known: that is neither good nor bad.
package provisioner
