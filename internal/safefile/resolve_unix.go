//go:build unix

package safefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hcctl/hcctl/internal/hint"
)

// maxLinks is the maximum number of links in a path, as in the kernel.
const maxLinks = 40

// walk is the state of resolving the links of a path.
type walk struct {
	owners owners
	// at is the resolved part, an absolute path; above is the info of that directory.
	at    string
	above fs.FileInfo
	// rest is the unresolved part.
	rest  []string
	links int
	// afterLink is the smallest length of rest at a link. While rest has at least that length, the walk is inside the
	// link's target.
	afterLink int
}

// Resolve returns the absolute path without links. A path that does not exist is kept; a dangling link is an *Error. So
// is a link of another user, or a directory of another user in a directory that everybody can write to: it may be a
// trap.
func Resolve(ctx context.Context, path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	w := &walk{owners: ownersOf(ctx), at: "/", rest: strings.Split(path, "/"), afterLink: -1}
	if w.above, err = os.Lstat(w.at); err != nil {
		return "", err
	}
	for len(w.rest) > 0 {
		name := w.rest[0]
		w.rest = w.rest[1:]
		absent, err := w.step(name)
		if err != nil {
			return "", err
		}
		if absent && w.afterLink >= 0 && len(w.rest) >= w.afterLink {
			return "", &Error{path, "it is a link that leads nowhere",
				hint.New("make what it leads to, or give another path")}
		}
		if absent {
			return filepath.Join(append([]string{w.at, name}, w.rest...)...), nil
		}
	}
	return w.at, nil
}

// step resolves the next name. absent means that it does not exist.
func (w *walk) step(name string) (absent bool, err error) {
	switch name {
	case "", ".":
		return false, nil
	case "..":
		w.at = filepath.Dir(w.at)
		w.above, err = os.Lstat(w.at)
		return false, err
	}
	next := filepath.Join(w.at, name)
	info, err := os.Lstat(next)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	foreign := w.owners.foreign(info)
	switch {
	case info.Mode()&fs.ModeSymlink != 0 && foreign != "":
		return false, &Error{next, "it is a link, and " + foreign, hint.New("give a path without links of others")}
	case info.Mode()&fs.ModeSymlink != 0:
		return false, w.follow(next)
	case info.IsDir() && foreign != "" && shared(w.above):
		problem := fmt.Sprintf("%s, and everybody can make directories in %s", foreign, w.at)
		return false, &Error{next, problem, hint.New("give a path in a directory of your own")}
	}
	w.at, w.above = next, info
	return false, nil
}

// follow replaces a link by its target.
func (w *walk) follow(link string) error {
	if w.links++; w.links > maxLinks {
		return &Error{link, "it is a link that leads in a circle", hint.New("give another path")}
	}
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	if w.afterLink < 0 || len(w.rest) < w.afterLink {
		w.afterLink = len(w.rest)
	}
	if filepath.IsAbs(target) {
		w.at = "/"
		if w.above, err = os.Lstat(w.at); err != nil {
			return err
		}
	}
	w.rest = append(strings.Split(target, "/"), w.rest...)
	return nil
}
