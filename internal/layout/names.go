package layout

import (
	"path"
	"slices"
	"strings"
)

// privateWords are names that only this project understood. A newcomer searches for the usual word instead.
var privateWords = map[string]string{
	"patient": "retry", "turns": "limiter or queue", "setback": "backoff", "feed": "reflector", "mirror": "informer",
	"replica": "store", "concern": "subscriber", "once": "cache", "glance": "cache", "away": "outage",
	"learn": "discovery", "served": "discovery", "raw_pages": "pages", "untyped": "unstructured",
	"heal": "terminal", "spared": "guard", "unified": "diff", "near": "suggest", "printable": "sanitize",
	"here": "hint", "nameless": "anonymous", "watchman": "monitor", "signs": "rules", "still": "finished",
	"mishap": "fault", "door": "health",
}

// RepeatedNames returns the files whose names repeat the folder's name, such as storage/storage_class.go.
// The package's main file, storage/storage.go, is Go's custom and allowed.
func (p Package) RepeatedNames() []string {
	folder := path.Base(p.Folder)
	return p.filesWhere(func(stem string) bool {
		return stem != folder && slices.Contains(strings.Split(stem, "_"), folder)
	})
}

// PrivateNames returns the files whose name is a private word or begins with one.
func (p Package) PrivateNames() []string {
	return p.filesWhere(func(stem string) bool { return privateWord(stem) != "" })
}

// PrivateFolder reports whether the folder has a private word as its name.
func (p Package) PrivateFolder() bool { return privateWord(path.Base(p.Folder)) != "" }

// UsualWord returns what a path should have instead of a private word in its name.
func UsualWord(name string) string {
	return privateWords[privateWord(stemOf(path.Base(name)))]
}

// privateWord returns the private word that a name is or begins with, or "".
func privateWord(stem string) string {
	for word := range privateWords {
		if stem == word || strings.HasPrefix(stem, word+"_") {
			return word
		}
	}
	return ""
}

// filesWhere returns the paths of the files and tests whose stem meets the condition.
func (p Package) filesWhere(condition func(stem string) bool) []string {
	var out []string
	for _, name := range slices.Concat(p.Files, p.Tests) {
		if condition(stemOf(name)) {
			out = append(out, path.Join(p.Folder, name))
		}
	}
	return out
}

// stemOf returns a file's name without ".go" and "_test".
func stemOf(name string) string { return strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test") }
