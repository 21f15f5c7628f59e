package kubeconfig

import "fmt"

// Has tells whether a file has a context of one of the entries already. The file is only read; one that cannot be read
// has none.
func Has(path string, entries []Entry) bool {
	d, err := look(path)
	if err != nil {
		return false
	}
	for i := range entries {
		if item := d.item(contextKind, entries[i].Context); item != nil {
			if o, ok := ownerOf(value(item, contextKind.key)); ok && o.same(entries[i].Owner) {
				return true
			}
		}
	}
	return false
}

// Others are the contexts in a file that hcctl merged for a hosted cluster of that name on other management clusters,
// for a person who looks for one. The file is only read.
func Others(path string, of Owner) ([]string, error) {
	d, err := look(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, item := range d.items(contextKind) {
		if o, ok := ownerOf(value(item, contextKind.key)); ok && o.HostedCluster == of.HostedCluster && !o.same(of) {
			names = append(names, fmt.Sprintf("%s (management cluster %s)", nameOf(item), o.Management))
		}
	}
	return names, nil
}

// look reads a file that will not be changed; a file that is not there is an empty one.
func look(path string) (*document, error) {
	data, err := readOnly(path)
	if err != nil {
		return nil, err
	}
	d, err := parse(data)
	if err != nil {
		return nil, &FileError{path, "it is no kubeconfig that hcctl can read", anotherFile, err}
	}
	return d, nil
}
