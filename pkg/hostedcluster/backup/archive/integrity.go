package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// integrity checks a snapshot that is written to it, as etcdutl does: the database, whose pages have at least 512
// bytes, followed by its SHA-256.
type integrity struct {
	size int64
	// tail has the last 32 bytes, which may be the hash.
	tail []byte
	// pages is the hash of all bytes before the tail. all is the hash of all bytes.
	pages, all hash.Hash
}

func newIntegrity() *integrity { return &integrity{pages: sha256.New(), all: sha256.New()} }

// Write implements io.Writer.
func (i *integrity) Write(data []byte) (int, error) {
	i.size += int64(len(data))
	_, _ = i.all.Write(data)
	i.tail = append(i.tail, data...)
	if n := len(i.tail) - sha256.Size; n > 0 {
		_, _ = i.pages.Write(i.tail[:n])
		i.tail = append(i.tail[:0], i.tail[n:]...)
	}
	return len(data), nil
}

// sum returns the SHA-256 of all bytes, in hexadecimal.
func (i *integrity) sum() string { return hex.EncodeToString(i.all.Sum(nil)) }

// check returns an error unless a whole snapshot was written.
func (i *integrity) check() error {
	const page = 512
	switch {
	case i.size == 0:
		return errors.New("the snapshot of etcd is empty")
	case i.size%page != sha256.Size:
		return fmt.Errorf("the snapshot of etcd has no integrity hash: it has %d bytes", i.size)
	case !bytes.Equal(i.pages.Sum(nil), i.tail):
		return errors.New("the snapshot of etcd does not match its integrity hash")
	}
	return nil
}
