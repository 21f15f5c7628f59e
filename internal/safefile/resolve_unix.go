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
)

// mostLinks is how many links a path may have, as the kernel counts.
const mostLinks = 40

// walk is a path on its way to one without links.
type walk struct {
	owners owners
	// at is what is resolved, an absolute path; above is that folder.
	at    string
	above fs.FileInfo
	// rest is what is not resolved yet.
	rest  []string
	links int
	// afterLink is the smallest length that rest had when a link was met: with as many left, it is still about the
	// link's target.
	afterLink int
}

// Resolve returns the absolute path without links. What is not there yet is taken as it is given; a link that leads
// nowhere is an *Error. So is a link of another user, and a folder of another user in a folder that everybody can
// write: both may be traps.
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
			return "", &Error{path, "it is a link that leads nowhere", "make what it leads to, or give another path"}
		}
		if absent {
			return filepath.Join(append([]string{w.at, name}, w.rest...)...), nil
		}
	}
	return w.at, nil
}

// step goes one name further; absent means that there is no such file.
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
	whose := w.owners.foreign(info)
	switch {
	case info.Mode()&fs.ModeSymlink != 0 && whose != "":
		return false, &Error{next, "it is a link, and " + whose, "give a path without links of others"}
	case info.Mode()&fs.ModeSymlink != 0:
		return false, w.follow(next)
	case info.IsDir() && whose != "" && shared(w.above):
		problem := fmt.Sprintf("%s, and everybody can make folders in %s", whose, w.at)
		return false, &Error{next, problem, "give a path in a folder of your own"}
	}
	w.at, w.above = next, info
	return false, nil
}

// follow puts the target of a link before what is left.
func (w *walk) follow(link string) error {
	if w.links++; w.links > mostLinks {
		return &Error{link, "it is a link that leads in a circle", "give another path"}
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
