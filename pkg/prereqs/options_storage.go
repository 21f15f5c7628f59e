package prereqs

// StorageMode is where the default StorageClass is to come from.
type StorageMode string

// The storage modes; the zero value is StorageAuto.
const (
	// StorageAuto keeps a healthy default class, else takes OpenShift Data Foundation's, installing it on local disks if
	// need be.
	StorageAuto StorageMode = "auto"
	// StorageExisting installs nothing: the default class must be there.
	StorageExisting StorageMode = "existing"
	// StorageDataFoundation means OpenShift Data Foundation.
	StorageDataFoundation StorageMode = "odf"
	// StorageLVM means LVM Storage: no shared volumes, so worker VMs cannot be migrated live.
	StorageLVM StorageMode = "lvms"
	// StorageNone neither checks nor installs storage.
	StorageNone StorageMode = "none"
)

// StorageModes lists them, the default first.
func StorageModes() []StorageMode {
	return []StorageMode{StorageAuto, StorageExisting, StorageDataFoundation, StorageLVM, StorageNone}
}

// StorageOptions is what a person can say about storage.
type StorageOptions struct {
	// Mode is StorageAuto unless said otherwise.
	Mode StorageMode
	// DefaultClass is the StorageClass that is to be the only default one. Empty changes no class that is marked already.
	DefaultClass string
}

func (o StorageOptions) validate() error { return oneOf("--storage", o.Mode, StorageModes()) }
