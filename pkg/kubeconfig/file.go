package kubeconfig

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"k8s.io/client-go/tools/clientcmd"
)

// largest is the size, in bytes, of a kubeconfig that is touched: one with a hundred clusters has about one MB.
const largest = 10 << 20

// attempts is how often a file is read anew because another program wrote it meanwhile.
const attempts = 20

// FileError means a file must not be touched, or cannot be written. It is as it was.
type FileError struct {
	Path    string
	Message string
	// Next is the next step for a person.
	Next string
	Err  error
}

// Error names the file and says what is wrong with it.
func (e *FileError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s is left as it is: %s", e.Path, e.Message)
	}
	return fmt.Sprintf("%s is left as it is: %s: %v", e.Path, e.Message, e.Err)
}

// Unwrap is the error of the file system or of the parser.
func (e *FileError) Unwrap() error { return e.Err }

// Hint is what to do.
func (e *FileError) Hint() string { return e.Next }

const anotherFile = "give another file with --file"

// update changes a kubeconfig file by edit, under hcctl's lock and kubectl's. What a reader sees is the old file or the new one,
// never a part of either, even if hcctl is killed. Links are followed. With make, the file and its folder are made if they are
// not there.
func update(ctx context.Context, path string, create bool, out *Outcome, edit func(*document) error) error {
	target, err := resolve(path)
	if err != nil {
		return err
	}
	out.Path = target
	if !create {
		if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	} else if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return &FileError{target, "its folder cannot be made", anotherFile, err}
	}
	unlock, err := lock(ctx, target)
	if err != nil {
		return err
	}
	defer unlock()
	sweep(target)
	for range attempts {
		done, err := tryUpdate(ctx, path, target, out, edit)
		if done || err != nil {
			return err
		}
	}
	return &FileError{target, "other programs write it again and again", "try again once they are done", nil}
}

// tryUpdate reads, edits and replaces the file once. It is not done if the file changed meanwhile. kubectl's lock is held only
// for the blink of reading and of replacing, since kubectl does not wait for it and a killed hcctl would leave it behind.
func tryUpdate(ctx context.Context, path, target string, out *Outcome, edit func(*document) error) (done bool, err error) {
	var before []byte
	if err := guarded(ctx, path, target, func() error { before, err = read(target); return err }); err != nil {
		return false, err
	}
	after, err := edited(target, before, edit)
	if err != nil {
		return false, err
	}
	out.Narrowed = 0
	if bytes.Equal(before, after) {
		return true, nil
	}
	temp, err := writeTemp(target, after)
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(temp) }()
	err = guarded(ctx, path, target, func() error {
		now, err := read(target)
		if err != nil || !bytes.Equal(now, before) || (now == nil) != (before == nil) {
			return err
		}
		if info, err := os.Stat(target); err == nil && info.Mode().Perm()&0o077 != 0 {
			out.Narrowed = uint32(info.Mode().Perm())
		}
		if err := os.Rename(temp, target); err != nil {
			return &FileError{target, "it cannot be replaced", anotherFile, err}
		}
		done = true
		return nil
	})
	if done {
		syncFolder(filepath.Dir(target))
	}
	return done, err
}

// edited is the content after edit: the very same bytes if nothing changed in what it says.
func edited(path string, before []byte, edit func(*document) error) ([]byte, error) {
	d, err := parse(before)
	if err != nil {
		return nil, &FileError{path, "it is no kubeconfig that hcctl can read", "repair it (oc config view --kubeconfig shows what is wrong), or " + anotherFile, err}
	}
	original, err := d.bytes()
	if err != nil {
		return nil, &FileError{path, "it cannot be written again as it is", anotherFile, err}
	}
	if err := edit(d); err != nil {
		return nil, err
	}
	after, err := d.bytes()
	if err != nil || bytes.Equal(original, after) {
		return before, err
	}
	if err := keepsOthers(before, after); err != nil {
		return nil, &FileError{path, "a change would lose something in it", anotherFile, err}
	}
	return after, nil
}

// keepsOthers is the last look before a file is replaced: what is not hcctl's must say the same before and after.
func keepsOthers(before, after []byte) error {
	a, err := clientcmd.Load(before)
	if err != nil {
		return err
	}
	b, err := clientcmd.Load(after)
	if err != nil {
		return err
	}
	for name, x := range a.Clusters {
		if _, ours := x.Extensions[extensionName]; !ours && !reflect.DeepEqual(x, b.Clusters[name]) {
			return fmt.Errorf("cluster %s would change", name)
		}
	}
	for name, x := range a.Contexts {
		if _, ours := x.Extensions[extensionName]; !ours && !reflect.DeepEqual(x, b.Contexts[name]) {
			return fmt.Errorf("context %s would change", name)
		}
	}
	for name, x := range a.AuthInfos {
		if _, ours := x.Extensions[extensionName]; !ours && !reflect.DeepEqual(x, b.AuthInfos[name]) {
			return fmt.Errorf("user %s would change", name)
		}
	}
	return nil
}
