package storage

import "github.com/hcctl/hcctl/pkg/prereqs/internal/prereq"

// Mode is where the default StorageClass is to come from.
type Mode string

// The storage modes; the zero value is ModeAuto.
const (
	// ModeAuto keeps a healthy default class, else takes OpenShift Data Foundation's, installing it on local disks if
	// need be.
	ModeAuto Mode = "auto"
	// ModeExisting installs nothing: the default class must be there.
	ModeExisting Mode = "existing"
	// ModeDataFoundation means OpenShift Data Foundation.
	ModeDataFoundation Mode = "odf"
	// ModeLVM means LVM Storage: no shared volumes, so worker VMs cannot be migrated live.
	ModeLVM Mode = "lvms"
	// ModeNone neither checks nor installs storage.
	ModeNone Mode = "none"
)

// Modes lists them, the default first.
func Modes() []Mode {
	return []Mode{ModeAuto, ModeExisting, ModeDataFoundation, ModeLVM, ModeNone}
}

// Options is what a person can say about storage.
type Options struct {
	// Mode is ModeAuto unless said otherwise.
	Mode Mode
	// DefaultClass is the StorageClass that is to be the only default one. Empty changes no class that is marked already.
	DefaultClass string
}

// Validate returns an error that names the flag and the value that is wrong.
func (o Options) Validate() error { return prereq.OneOf("storage.mode", o.Mode, Modes()) }
