# What the demos share: they read this file. It makes a directory of their own, and stops what they started.
# HCCTL_BIN and HCCTL_SANDBOX_BIN are the programs.
repository=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
sandboxes=()
readonly repository work

finish() {
	local code=$?
	trap - EXIT
	for pid in "${sandboxes[@]}"; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	for pid in "${sandboxes[@]}"; do
		wait "$pid" || true
	done
	rm -rf "$work"
	exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}

# show CODE COMMAND...: prints the command, runs it, and asks for that exit code.
show() {
	local want=$1 got=0 begin=$SECONDS
	shift
	printf '\n$ %s\n' "$*"
	"$@" || got=$?
	[[ $got == "$want" ]] || fail "exit code $got, want $want"
	printf '[exit code %d after %d s]\n' "$got" $((SECONDS - begin))
}

tell() { printf '\n# %s\n' "$*"; }

# isolate: the programs are in the path, nothing of the machine's own is used nor kept, and nobody is asked: commands that
# change something ask on a terminal only.
isolate() {
	mkdir -p "$work/bin"
	ln -s "$HCCTL_BIN" "$work/bin/hcctl"
	ln -s "$HCCTL_SANDBOX_BIN" "$work/bin/hcctl-sandbox"
	export PATH="$work/bin:$PATH" HOME="$work"
	unset KUBECONFIG
	cd "$work"
	exec </dev/null
}

# sandbox DIR FLAG...: starts one, which ends with the demo.
sandbox() {
	printf '\n$ hcctl-sandbox start --dir %s &\n' "$*"
	hcctl-sandbox start --dir "$@" >"$1.ready" 2>"$1.log" &
	sandboxes+=($!)
	until grep -q '^ready: ' "$1.ready"; do
		if ! kill -0 "${sandboxes[-1]}" 2>/dev/null; then
			cat "$1.log" >&2
			fail 'the sandbox ended'
		fi
		sleep 0.1
	done
	cat "$1.ready"
}
