#!/bin/sh
# The macOS boundary: its profile and its warden, on any system. (tests/boxes.sh compiles and links it for macOS.)
. "$(dirname "$0")/lib.sh"
c_test tests/seatbelt.c
