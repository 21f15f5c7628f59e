// Command vuln looks for known vulnerabilities in the code that hcctl calls, with govulncheck and the Go vulnerability
// database. Without access to the database it checks nothing and fails, unless -optional is given.
package main

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// official is the Go project's own database.
	official = "https://vuln.go.dev"
	// patience bounds the query for the age of a database.
	patience = 20 * time.Second
	// stale is the age from which a database counts as outdated.
	stale = 30 * 24 * time.Hour
)

func main() {
	govulncheck := flag.String("govulncheck", "bin/govulncheck", "the program, absolute or within the root")
	root := flag.String("root", ".", "folder of the module to check")
	db := flag.String("db", cmp.Or(os.Getenv("GOVULNDB"), official),
		"database: a URL, file:// for a folder (env GOVULNDB)")
	optional := flag.Bool("optional", false, "succeed, saying that nothing was checked, if the database cannot be reached")
	flag.Parse()
	modified, err := age(context.Background(), *db)
	if err != nil {
		fmt.Fprintf(os.Stderr, "vuln: NOT CHECKED: the database %s cannot be reached: %v\n", *db, err)
		fmt.Fprintln(os.Stderr, "vuln: run make vuln where it can be reached, or with GOVULNDB=file://FOLDER, the folder "+
			"data/osv of a clone of golang.org/x/vulndb")
		if *optional {
			return
		}
		os.Exit(1)
	}
	old := time.Since(modified).Round(time.Hour)
	fmt.Printf("vuln: database %s, last changed %s (%s ago)\n", *db, modified.UTC().Format(time.RFC3339), old)
	if old > stale {
		fmt.Printf("vuln: it is older than %d days: what became known since is not looked for\n", stale/(24*time.Hour))
	}
	cmd := exec.Command(*govulncheck, "-db", *db, "-show", "version", "./cmd/...", "./pkg/...")
	cmd.Dir, cmd.Stdout, cmd.Stderr = *root, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "vuln:", err)
		os.Exit(1)
	}
}

// age returns when a database was last changed.
func age(ctx context.Context, db string) (time.Time, error) {
	u, err := url.Parse(db)
	if err != nil {
		return time.Time{}, err
	}
	if u.Scheme == "file" {
		return ageOfFolder(filepath.FromSlash(u.Path))
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(db, "/")+"/index/db.json.gz",
		http.NoBody)
	if err != nil {
		return time.Time{}, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return time.Time{}, fmt.Errorf("%s answers %s", req.URL, res.Status)
	}
	plain, err := gzip.NewReader(res.Body)
	if err != nil {
		return time.Time{}, err
	}
	return modified(plain)
}

func modified(index io.Reader) (time.Time, error) {
	var meta struct {
		Modified time.Time `json:"modified"`
	}
	if err := json.NewDecoder(index).Decode(&meta); err != nil {
		return time.Time{}, err
	}
	if meta.Modified.IsZero() {
		return time.Time{}, errors.New("it does not say when it was last changed")
	}
	return meta.Modified, nil
}

// ageOfFolder returns the age of a database, or of its newest entry if there is no index, as in the folder data/osv of
// golang.org/x/vulndb. govulncheck accepts both.
func ageOfFolder(dir string) (time.Time, error) {
	if index, err := os.Open(filepath.Join(dir, "index", "db.json")); err == nil {
		defer func() { _ = index.Close() }()
		return modified(index)
	}
	entries, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(entries) == 0 {
		return time.Time{}, fmt.Errorf("%s has neither index/db.json nor entries", dir)
	}
	var newest time.Time
	for _, path := range entries {
		f, err := os.Open(path)
		if err != nil {
			return time.Time{}, err
		}
		at, err := modified(f)
		_ = f.Close()
		if err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", path, err)
		}
		if at.After(newest) {
			newest = at
		}
	}
	return newest, nil
}
