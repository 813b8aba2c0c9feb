#!/bin/sh
# apt.sh - packages and sources from Debian's archive without touching this system's own package state: a private apt
# configuration below $CACHE/apt. Read by tests/build.sh and tests/boxes.sh.
# shellcheck shell=sh

# Sets that configuration up, on the archive that this system itself uses ($archive). Failure: there is none to be reached.
apt_open() {
	apt=$CACHE/apt
	export APT_CONFIG="$apt/apt.conf"
	# shellcheck disable=SC2016 # apt's own notation
	archive=$(APT_CONFIG='' apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -v security | sort | head -n 1)
	[ -n "$archive" ] || return 1
	[ ! -f "$apt/ready" ] || return 0
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" || return 1
	: >"$apt/status"
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	cat >"$apt/sources.list" <<-END
		deb-src [signed-by=$keys] $archive bookworm main
		deb [signed-by=$keys arch=amd64,arm64] $archive bookworm main
		deb [signed-by=$keys arch=amd64,arm64] $archive bookworm-backports main
	END
	cat >"$APT_CONFIG" <<-END
		Dir::Etc::SourceList "$apt/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::State::Lists "$apt/lists";
		Dir::State::status "$apt/status";
		Dir::Cache "$apt";
		APT::Sandbox::User "root";
		APT::Architectures { "amd64"; "arm64"; };
		Acquire::Languages "none";
	END
	apt-get update -q >&2 && : >"$apt/ready"
}

# apt_deb DIR PACKAGE: unpacks the newest PACKAGE (name, or name:arch) into DIR, unless it is there.
apt_deb() {
	[ ! -d "$1" ] || return 0
	(
		rm -rf "$1.deb" "$1.new"
		mkdir -p "$1.deb" && cd "$1.deb" && apt-get download -q "$2" >&2 && dpkg-deb -x ./*.deb "$1.new" && cd / && rm -rf "$1.deb" &&
			mv "$1.new" "$1"
	)
}

# apt_kernel VERSION ARCH: prints the path of Debian's newest kernel of that version, for virtual machines.
apt_kernel() {
	package=$(apt-cache search --names-only "^linux-image-$1\\..*-cloud-$2\$" | awk '{ print $1 }' | grep -v dbg | sort -V | tail -n 1)
	[ -n "$package" ] || return 1
	[ "$2" = amd64 ] || package=$package:$2
	apt_deb "$CACHE/kernel-$1-$2" "$package" && ls "$CACHE/kernel-$1-$2"/boot/vmlinuz-*
}

# Prints the directory of BearSSL 0.6's sources, as Debian has them.
apt_bearssl() {
	if [ ! -d "$CACHE/bearssl-source" ]; then
		(
			mkdir -p "$apt/source" && cd "$apt/source" || exit 1
			apt-get source -q --download-only bearssl >&2 || exit 1
			rm -rf bearssl-0.6
			tar xf bearssl_0.6*.orig.tar.* && mv bearssl-0.6 "$CACHE/bearssl-source"
		) || return 1
	fi
	echo "$CACHE/bearssl-source"
}
