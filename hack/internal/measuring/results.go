package measuring

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// ReadResults reads a file of results in JSON. The error is fs.ErrNotExist if the file is missing.
func ReadResults[T any](path string) (*T, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	results := new(T)
	if err := json.Unmarshal(content, results); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return results, nil
}

// WriteResults writes results in JSON, and makes the directory.
func WriteResults(path string, results any) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // results are for everybody
		return err
	}
	content, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o644) //nolint:gosec // no secret is in them
}

// Keep adds to figures those of an earlier run whose groups were not measured now.
func Keep[T any](now, earlier []T, measured []string, group func(T) string) []T {
	for _, f := range earlier {
		if !slices.Contains(measured, group(f)) {
			now = append(now, f)
		}
	}
	return now
}
