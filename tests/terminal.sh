#!/bin/sh
# At a terminal: --interactive, --ask, every way to end a run at every stage of it, widths, colours, locales.
# needs: python3
. "$(dirname "$0")/lib.sh"
need 'at a terminal' python3 || exit 0
unset NO_COLOR RUST_BACKTRACE
python3 "$ROOT/tests/terminal.py" "$TMP"
