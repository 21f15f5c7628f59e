package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
)

// integrity checks what is written to it as etcdutl checks a snapshot: the database's pages of at least 512 bytes, then
// the SHA-256 of them.
type integrity struct {
	size int64
	// tail are the last bytes, which may be the hash.
	tail []byte
	// pages is the hash of all before the tail, all that of everything.
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

// sum is the SHA-256 of everything, in hexadecimal.
func (i *integrity) sum() string { return hex.EncodeToString(i.all.Sum(nil)) }

// check fails unless what was written is a whole snapshot.
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
