#!/bin/sh
# Installs hcctl for one user, without root: downloads a release, compares its checksum, and copies the program.
#
#   sh install.sh [VERSION]     # such as v1.2.3; without it the newest release
#
#   HCCTL_RELEASES   where releases are, by https (default https://github.com/hcctl/hcctl/releases)
#   HCCTL_BIN_DIR    where the program goes (default ~/.local/bin)
#
# Where cosign is in the path, the signature of the checksums is verified, too; where it is not, the script says so.
set -eu

# All of it is a function, so that half of a download does nothing.
main() {
	releases=${HCCTL_RELEASES:-https://github.com/hcctl/hcctl/releases}
	case $releases in
	https://*) ;;
	*) fail "HCCTL_RELEASES is $releases: it does not begin with https://, so anybody on the way could change the program" ;;
	esac
	bin=${HCCTL_BIN_DIR:-${HOME:?HOME is not set}/.local/bin}
	if [ "$(id -u)" = 0 ] && [ ! -f "$0" ]; then
		fail "a script from a pipe is not run as root: download install.sh, read it, and run it as yourself"
	fi
	for needed in curl tar sed grep mktemp; do
		command -v "$needed" >/dev/null || fail "$needed is needed and not in the path"
	done
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no archive for $(uname -s) here: see $releases" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	s390x | ppc64le) arch=$(uname -m) ;;
	*) fail "there is no archive for the processor $(uname -m)" ;;
	esac
	version=${1:-}
	if [ -z "$version" ]; then
		# The newest release is where this address leads.
		version=$(curl --proto '=https' -fsSLI -o /dev/null -w '%{url_effective}' "$releases/latest") || fail "$releases/latest cannot be read"
		version=${version##*/}
	fi
	case $version in
	v[0-9]*) ;;
	*) fail "$version is not a version such as v1.2.3" ;;
	esac
	case $version in
	*[!A-Za-z0-9.+-]*) fail "$version is not a version such as v1.2.3" ;;
	esac

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	archive=hcctl_${version#v}_${os}_$arch.tar.gz
	fetch checksums.txt
	verify_signature
	fetch "$archive"
	want=$(grep -E "^[0-9a-f]{64}  $archive\$" "$work/checksums.txt") || fail "checksums.txt does not name $archive"
	want=${want%% *}
	have=$(sum "$work/$archive")
	[ "$want" = "$have" ] || fail "$archive has the checksum $have and not $want: nothing was installed"
	tar -xzf "$work/$archive" -C "$work" hcctl
	mkdir -p "$bin"
	# Renaming replaces a program that is running, and is never half done.
	cp "$work/hcctl" "$bin/.hcctl.$$"
	chmod 0755 "$bin/.hcctl.$$"
	mv -f "$bin/.hcctl.$$" "$bin/hcctl"
	"$bin/hcctl" version
	case :${PATH:-}: in
	*:"$bin":*) ;;
	*) echo "install.sh: $bin is not in your PATH" >&2 ;;
	esac
}

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

fetch() {
	curl --proto '=https' -fsSL --retry 3 -o "$work/$1" "$releases/download/$version/$1" || fail "$releases/download/$version/$1 cannot be downloaded"
}

sum() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1" | sed 's/ .*//'
	else
		shasum -a 256 "$1" | sed 's/ .*//'
	fi
}

verify_signature() {
	if ! command -v cosign >/dev/null; then
		echo "install.sh: cosign is not in the path, so the signature of checksums.txt was not verified" >&2
		return 0
	fi
	fetch checksums.txt.sigstore.json
	cosign verify-blob --bundle "$work/checksums.txt.sigstore.json" \
		--certificate-identity "https://github.com/hcctl/hcctl/.github/workflows/release.yml@refs/tags/$version" \
		--certificate-oidc-issuer https://token.actions.githubusercontent.com "$work/checksums.txt" >&2 ||
		fail "the signature of checksums.txt is not that of hcctl's release workflow: nothing was installed"
}

main "$@"
