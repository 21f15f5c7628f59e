package cluster

import (
	"compress/gzip"
	"debug/elf"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hcctl/hcctl/sandbox/cluster/process"
)

// recording is a management cluster's state in etcd. A profile that takes minutes to provision is provisioned once,
// when the sandbox is built, and each start begins with the recorded state.
type recording struct {
	// Build is the build of the sandbox that made it. Another build could store objects differently.
	Build string
	// Profile is the profile's name.
	Profile string
	// Keys are etcd's keys and values.
	Keys map[string][]byte
	// Await are objects with ports and certificates of one run. They are not recorded, and the operators create them
	// again.
	Await []perRunObject
}

// WorldFile returns the path of a profile's recording, beside the sandbox's helper programs.
func WorldFile(profile string) (string, error) {
	directory, err := process.Libexec()
	return filepath.Join(directory, profile+".world"), err
}

// write writes the recording to a file atomically.
func (r *recording) write(path string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".world-*")
	if err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // removed already after success
	zip := gzip.NewWriter(tmp)
	if err := errors.Join(gob.NewEncoder(zip).Encode(r), zip.Close(), tmp.Close()); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	return nil
}

// readRecording reads a recording that this build made for the profile. A missing file, or one of another build, is no
// error: the result is nil, and why gives the reason.
func readRecording(path, profile string) (r *recording, why string, err error) {
	file, err := os.Open(path) // #nosec G304 -- beside our own binary
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "there is no recording " + path, nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("read recording: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	zip, err := gzip.NewReader(file)
	if err != nil {
		return nil, "", fmt.Errorf("read recording %s: %w", path, err)
	}
	r = &recording{}
	if err := gob.NewDecoder(zip).Decode(r); err != nil {
		return nil, "", fmt.Errorf("read recording %s: %w", path, err)
	}
	build, err := buildID()
	if err != nil {
		return nil, "", err
	}
	if r.Build != build || r.Profile != profile {
		return nil, "recording " + path + " was made by another build", nil
	}
	return r, "", nil
}

// buildID returns the ID of this build: Go's linker puts a hash of the program's content into the binary.
func buildID() (string, error) {
	file, err := elf.Open("/proc/self/exe")
	if err != nil {
		return "", fmt.Errorf("read own build id: %w", err)
	}
	defer file.Close() //nolint:errcheck // only read
	section := file.Section(".note.go.buildid")
	if section == nil {
		return "", errors.New("read own build id: the binary has none")
	}
	data, err := section.Data()
	if err != nil {
		return "", fmt.Errorf("read own build id: %w", err)
	}
	return hex.EncodeToString(data), nil
}
