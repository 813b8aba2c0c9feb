#!/bin/sh
# Every tests/fuzz_NAME.c runs for FUZZ_SECONDS with the sanitizers, from the corpus in tests/corpus/NAME. (test.sh --fuzz S)
# needs: clang
. "$(dirname "$0")/lib.sh"
need 'fuzzing' clang || exit 0
for source in tests/fuzz_*.c; do
	name=${source#tests/fuzz_} name=${name%.c}
	# shellcheck disable=SC2086 # lists of words
	if ! clang -std=c11 -O1 -g -Wno-unused-function -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
		$BEARSSL_CFLAGS -o "$TMP/$name" "$source" $BEARSSL_LIBS 2>"$TMP/words"; then
		if grep -q 'libclang_rt.fuzzer' "$TMP/words"; then
			skip "fuzzing $name" 'this clang has no libFuzzer'
		else
			fail "fuzzing $name" "$(tail -n 3 "$TMP/words")"
		fi
		continue
	fi
	mkdir -p "$TMP/corpus-$name" "tests/corpus/$name"
	cd "$TMP" || exit 1
	if "$TMP/$name" -max_total_time="$FUZZ_SECONDS" -max_len=8192 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -detect_leaks=0 \
		-artifact_prefix="$TMP/$name-" "$TMP/corpus-$name" "$ROOT/tests/corpus/$name" >"$TMP/words" 2>&1; then
		ok "fuzzing $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$TMP/words") inputs"
	else
		# shellcheck disable=SC2012 # names made by libFuzzer
		fail "fuzzing $name" "$(grep -E 'ERROR|runtime error|SUMMARY' "$TMP/words" | head -n 3) $(base64 <"$(ls "$TMP/$name"-* | head -n 1)" | head -c 2000)"
	fi
	cd "$ROOT" || exit 1
done
