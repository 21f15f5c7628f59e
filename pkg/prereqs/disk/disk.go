package disk

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// Least is the least size of a disk the Local Storage Operator takes (its default minSize), in bytes.
const Least = 1 << 30

// Media is how a disk stores.
type Media string

// The media. The empty one is a disk that does not say.
const (
	SSD Media = "ssd"
	HDD Media = "hdd"
)

// Disk is one device that LocalVolumeDiscovery has found on a node.
type Disk struct {
	Node string `json:"node"`
	// Device is the kernel's name, such as /dev/sdb. It may change when the node is started again.
	Device string `json:"device"`
	// ByID is the link below /dev/disk/by-id, empty where the disk has none.
	ByID   string `json:"byID,omitempty"`
	Model  string `json:"model,omitempty"`
	Vendor string `json:"vendor,omitempty"`
	Serial string `json:"serial,omitempty"`
	// Size in bytes.
	Size int64 `json:"size"`
	// Type is disk, part, lvm or mpath.
	Type  string `json:"type"`
	Media Media  `json:"media,omitempty"`
	// Signature is what is written on it, such as xfs.
	Signature string `json:"signature,omitempty"`
	// State is Available, NotAvailable or Unknown.
	State string `json:"state"`
	// Class is the StorageClass of the volume that the disk is already; empty where it is none.
	Class string `json:"storageClass,omitempty"`
}

// Report is what LocalVolumeDiscovery has found on one node.
type Report struct {
	Node  string
	Disks []Disk
	// At is when the node's disks last changed.
	At time.Time
}

// Name is the kernel's name without its directory, such as sdb.
func (d Disk) Name() string { return fileName(d.Device) }

// Link is the name below /dev/disk/by-id, empty where the disk has none.
func (d Disk) Link() string { return fileName(d.ByID) }

func fileName(p string) string {
	if p == "" {
		return ""
	}
	return path.Base(p)
}

// Place names the disk for a user.
func (d Disk) Place() string { return d.Node + " " + d.Device }

// Empty reports whether the disk is whole, large enough, and without anything on it.
func (d Disk) Empty() bool { return d.Type == "disk" && d.Used() == "" }

// Used says why nobody can have the disk; empty if somebody can.
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
	case d.Size < Least:
		return "is smaller than 1 GiB"
	}
	return ""
}

// Path is what a LocalVolume or LVMCluster names the disk by: its link, else the kernel's name; empty where neither is
// a plain path.
func (d Disk) Path() string {
	switch {
	case byIDPath.MatchString(d.ByID):
		return d.ByID
	case d.ByID == "" && devicePath.MatchString(d.Device):
		return d.Device
	}
	return ""
}

// What names of devices may look like. They come from the nodes, and are written into objects.
var (
	byIDPath   = lazyregexp.New(`^/dev/disk/by-id/[A-Za-z0-9#+.:=@_-]{1,255}$`)
	devicePath = lazyregexp.New(`^/dev/(mapper/)?[A-Za-z0-9._-]{1,255}$`)
)

// removable are how udev begins the by-id names of disks that can be pulled out. The discovery reports nothing else
// about it.
var removable = []string{"usb-", "mmc-", "memstick-", "ieee1394-"}

// Removable reports whether the disk is on a bus whose disks can be pulled out.
func (d Disk) Removable() bool {
	for _, prefix := range removable {
		if strings.HasPrefix(d.Link(), prefix) {
			return true
		}
	}
	return false
}

// worldwide finds the name that no other disk has in what udev calls a disk: wwn-0x..., scsi-3..., dm-uuid-mpath-3...,
// nvme-eui... and nvme-uuid...
var worldwide = lazyregexp.New(`^(?:wwn-0x|scsi-3|dm-uuid-mpath-3|nvme-eui\.|nvme-uuid\.|nvme-nguid\.)` +
	`([0-9a-fA-F-]+?)(-part[0-9]+)?$`)

// vendorOnly begins names that the vendor gives as it likes (SCSI designator type 0): virtual machines of one kind have
// the same.
const vendorOnly = "scsi-0"

// Worldwide reports whether a name below /dev/disk/by-id is one that no other disk has.
func Worldwide(link string) bool { return worldwide.MatchString(link) }

// identities are what the disk has in common with itself on other nodes and paths.
func (d Disk) identities() []string {
	var out []string
	link := d.Link()
	if found := worldwide.FindStringSubmatch(link); found != nil {
		out = append(out, "wwn "+strings.ToLower(found[1])+found[2])
	} else if link != "" && !strings.HasPrefix(link, vendorOnly) {
		out = append(out, "id "+link)
	}
	// The serial number of a part is that of the disk below it.
	if whole := d.Type != "part" && d.Type != "lvm"; whole && d.Serial != "" && !strings.HasPrefix(link, vendorOnly) {
		out = append(out, fmt.Sprintf("serial %q %q %q", d.Vendor, d.Model, d.Serial))
	}
	return out
}

// Bytes is a size for a user.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + units[unit]
}
