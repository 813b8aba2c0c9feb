#!/bin/sh
# JSON: JSONTestSuite and what it does not ask.
. "$(dirname "$0")/lib.sh"
suite=$SHARED/suites/json/test_parsing
if [ -n "$SHARED" ] && [ -d "$suite" ]; then
	c_test tests/json.c "$suite"/*
else
	skip 'JSONTestSuite' 'its files are not beside the repository (../shared/suites/json)'
	c_test tests/json.c
fi
