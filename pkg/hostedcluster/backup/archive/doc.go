// Package archive reads and writes the file of a backup: a .tar.gz with a manifest, the objects as JSON, the snapshot
// of etcd and checksums of all of them, in that order. With recipients or a passphrase the file is encrypted by age,
// whose own program opens it too.
//
// Who reads an archive does not trust it: names, kinds and sizes come from an allow-list, every object has to be where
// its name says, and the snapshot's integrity hash is checked as etcdutl does.
package archive
