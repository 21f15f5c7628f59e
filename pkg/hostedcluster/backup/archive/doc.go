// Package archive reads and writes the file of a backup: a .tar.gz with a manifest, the objects as JSON, the snapshot
// of etcd, and checksums of all of them, in that order. With recipients or a passphrase the file is encrypted by age;
// the age program can open it too.
//
// The reader does not trust an archive: names, kinds and sizes come from an allow-list, every object has to be in the
// file of its name, and the snapshot's integrity hash is checked as etcdutl does.
package archive
