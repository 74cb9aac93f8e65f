#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the packages behind the lists named as arguments (each an environment variable of lines
# "what|test|Debian package|Fedora package|what for"), only those whose test fails, and says so.
# What a list "needed" holds must be there afterwards; the others are used where they can be had.
set -u

sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo

installer=
if command -v apt-get >/dev/null 2>&1; then
	installer=apt-get
elif command -v dnf >/dev/null 2>&1; then
	installer=dnf
fi

missing_of() { # LIST: prints the lines whose test fails
	eval "lines=\${$1}"
	printf '%s\n' "$lines" | while IFS='|' read -r what test deb rpm why; do
		[ -n "$what" ] || continue
		sh -c "$test" >/dev/null 2>&1 || printf '%s|%s|%s|%s|%s\n' "$what" "$test" "$deb" "$rpm" "$why"
	done
}

install_packages() {
	case $installer in
	apt-get)
		DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q "$@" >/dev/null 2>&1 && return 0
		$sudo apt-get update -q >/dev/null 2>&1
		DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q "$@" >/dev/null
		;;
	dnf) $sudo dnf install -y -q "$@" >/dev/null ;;
	*) return 1 ;;
	esac
}

status=0
for list in "$@"; do
	lines=$(missing_of "$list")
	[ -n "$lines" ] || continue
	case $installer in
	dnf) field=4 ;;
	*) field=3 ;;
	esac
	packages=$(printf '%s\n' "$lines" | cut -d'|' -f$field | sort -u | tr '\n' ' ')
	printf '%s\n' "$lines" | while IFS='|' read -r what test deb rpm why; do
		echo "installing $what ($why)" >&2
	done
	# shellcheck disable=SC2086
	install_packages $packages || true
	left=$(missing_of "$list")
	[ -n "$left" ] || continue
	printf '%s\n' "$left" | while IFS='|' read -r what test deb rpm why; do
		echo "missing: $what ($why); install it by hand: Debian $deb, Fedora $rpm" >&2
	done
	[ "$list" != needed ] || status=1
done
exit $status
