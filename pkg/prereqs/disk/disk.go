package disk

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// MinSize is the minimum size in bytes of a disk for the Local Storage Operator (its default minSize).
const MinSize = 1 << 30

// Media is the kind of storage medium.
type Media string

// Values of Media. It is empty for a disk that does not report it.
const (
	SSD Media = "ssd"
	HDD Media = "hdd"
)

// Disk is one device that LocalVolumeDiscovery found on a node.
type Disk struct {
	Node string `json:"node"`
	// Device is the kernel's name, such as /dev/sdb. It may change when the node restarts.
	Device string `json:"device"`
	// ByID is the link below /dev/disk/by-id, or "".
	ByID   string `json:"byID,omitempty"`
	Model  string `json:"model,omitempty"`
	Vendor string `json:"vendor,omitempty"`
	Serial string `json:"serial,omitempty"`
	// Size in bytes.
	Size int64 `json:"size"`
	// Type is disk, part, lvm or mpath.
	Type  string `json:"type"`
	Media Media  `json:"media,omitempty"`
	// Signature is the content found on it, such as xfs.
	Signature string `json:"signature,omitempty"`
	// State is Available, NotAvailable or Unknown.
	State string `json:"state"`
	// Class is the StorageClass of the volume on the disk, or "".
	Class string `json:"storageClass,omitempty"`
}

// Report lists the disks that LocalVolumeDiscovery found on one node.
type Report struct {
	Node  string
	Disks []Disk
	// At is the last change of the node's disks.
	At time.Time
}

// Name returns the kernel's name without its directory, such as sdb.
func (d Disk) Name() string { return fileName(d.Device) }

// Link is the name below /dev/disk/by-id, or "".
func (d Disk) Link() string { return fileName(d.ByID) }

func fileName(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(p)
}

// Place returns the node and device, for messages.
func (d Disk) Place() string { return d.Node + " " + d.Device }

// Empty reports whether it is a whole disk, large enough, and without content.
func (d Disk) Empty() bool { return d.Type == "disk" && d.Used() == "" }

// Used returns why the disk cannot be taken, or "".
func (d Disk) Used() string {
	switch {
	case d.Class != "":
		return "is a volume of class " + d.Class
	case d.Signature != "":
		return "carries " + d.Signature
	case d.State == "NotAvailable":
		return "is in use"
	case d.State != "Available":
		return "is " + d.State
	case d.Size < MinSize:
		return "is smaller than 1 GiB"
	}
	return ""
}

// Path is the path by which a LocalVolume or LVMCluster names the disk: its link, else the kernel's name. It is "" if
// that is not a plain path.
func (d Disk) Path() string {
	switch {
	case byIDPath.MatchString(d.ByID):
		return d.ByID
	case d.ByID == "" && devicePath.MatchString(d.Device):
		return d.Device
	}
	return ""
}

// Allowed names of devices. They come from the nodes and are written into objects.
var (
	byIDPath   = lazyregexp.New(`^/dev/disk/by-id/[A-Za-z0-9#+.:=@_-]{1,255}$`)
	devicePath = lazyregexp.New(`^/dev/(mapper/)?[A-Za-z0-9._-]{1,255}$`)
)

// removable are prefixes of the by-id names that udev gives to removable disks. The discovery reports nothing else
// about it.
var removable = []string{"usb-", "mmc-", "memstick-", "ieee1394-"}

// Removable reports whether the disk is on a bus for removable disks.
func (d Disk) Removable() bool {
	for _, prefix := range removable {
		if strings.HasPrefix(d.Link(), prefix) {
			return true
		}
	}
	return false
}

// worldwide matches udev names that identify a disk worldwide: wwn-0x..., scsi-3..., dm-uuid-mpath-3..., nvme-eui...
// and nvme-uuid...
var worldwide = lazyregexp.New(`^(?:wwn-0x|scsi-3|dm-uuid-mpath-3|nvme-eui\.|nvme-uuid\.|nvme-nguid\.)` +
	`([0-9a-fA-F-]+?)(-part[0-9]+)?$`)

// vendorOnly is the prefix of names that the vendor chooses freely (SCSI designator type 0): VMs of one kind have equal
// ones.
const vendorOnly = "scsi-0"

// Worldwide reports whether a name below /dev/disk/by-id identifies a disk worldwide.
func Worldwide(link string) bool { return worldwide.MatchString(link) }

// identities returns the properties that identify the disk on other nodes and paths too.
func (d Disk) identities() []string {
	var out []string
	link := d.Link()
	if found := worldwide.FindStringSubmatch(link); found != nil {
		out = append(out, "wwn "+strings.ToLower(found[1])+found[2])
	} else if link != "" && !strings.HasPrefix(link, vendorOnly) {
		out = append(out, "id "+link)
	}
	// A partition has the serial number of its disk.
	if isDisk := d.Type != "part" && d.Type != "lvm"; isDisk && d.Serial != "" && !strings.HasPrefix(link, vendorOnly) {
		out = append(out, fmt.Sprintf("serial %q %q %q", d.Vendor, d.Model, d.Serial))
	}
	return out
}

// Bytes formats a size for messages.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + units[unit]
}
