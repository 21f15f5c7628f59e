#!/usr/bin/env bash
# Changes a package's code in small ways and tells how many of the changes its tests notice: run.sh GREMLINS PACKAGE [FLAG]...
# It works on a copy of what git knows, without bin, and leaves out tests that need a sandbox.
set -euo pipefail
gremlins=$1 package=$2
shift 2
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
package=${package#./}
[ -d "$root/$package" ] || { echo "mutants: $package is no directory of the repository; use PKG=./pkg/hostedcluster/upgrade" >&2; exit 2; }

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/tree" "$copy/tmp"
git -C "$root" ls-files -z --cached --others --exclude-standard --deduplicate |
	(cd "$root" && while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done | tar --null -T - -c) |
	tar -x -C "$copy/tree"

# Gremlins calls go: of a coverage profile, ours adds what Go leaves out.
go=$(command -v go)
mkdir "$copy/bin"
"$go" build -C "$root/hack/mutants" -o "$copy/bin/cases" ./cases
module=$("$go" list -C "$root" -m)
cat >"$copy/bin/go" <<END
#!/usr/bin/env bash
set -euo pipefail
"$go" "\$@"
while [ \$# -gt 1 ]; do
	[ "\$1" != -coverprofile ] || "$copy/bin/cases" "\$2" "$module" "$copy/tree"
	shift
done
END
chmod +x "$copy/bin/go"

cd "$copy/tree"
PATH=$copy/bin:$PATH TMPDIR=$copy/tmp GOFLAGS="${GOFLAGS:-} -short" "$gremlins" unleash "./$package" "$@"
