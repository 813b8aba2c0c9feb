/* questions.c - what the host asks the fixture, and the right answers: a driver in Rust, which answers line by line, and a few
 * thousand questions, made afresh for each run. (hsa.1, "The verdict") */
#ifndef HSA_QUESTIONS_C
#define HSA_QUESTIONS_C
#include "json.c"

static const char *verdict_driver(void) {
	return "use std::io::BufRead;\n"
	    "use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};\n"
	    "static CLONES: AtomicUsize = AtomicUsize::new(0);\n"
	    "#[derive(Debug)]\n"
	    "struct Own(usize, [u8; 3]);\n"
	    "impl Clone for Own {\n"
	    "    fn clone(&self) -> Own {\n"
	    "        CLONES.fetch_add(1, Relaxed);\n"
	    "        Own(self.0, self.1)\n"
	    "    }\n"
	    "}\n"
	    "fn ask<'a, T: Clone + std::fmt::Debug>(words: std::str::Split<'a, char>, size: usize, f: fn(&'a str) -> T) -> String {\n"
	    "    let items: Vec<T> = words.map(f).collect();\n"
	    "    let before = CLONES.load(Relaxed);\n"
	    "    let all: Vec<Vec<T>> = chunker::chunks(&items, size);\n"
	    "    let own = size > 0 && std::any::type_name::<T>() == \"driver::Own\";\n"
	    "    let few = own && CLONES.load(Relaxed) - before < items.len();\n"
	    "    format!(\"{:?}{}\", all, if few { \" without Clone\" } else { \"\" })\n"
	    "}\n"
	    "fn main() {\n"
	    "    for line in std::io::stdin().lock().lines() {\n"
	    "        let line = line.unwrap();\n"
	    "        let mut words = line.split(' ');\n"
	    "        let kind = words.next().unwrap();\n"
	    "        let size: usize = words.next().unwrap().parse().unwrap();\n"
	    "        println!(\"{}\", match kind {\n"
	    "            \"c\" => {\n"
	    "                let count: usize = chunker::chunk_count(words.last().unwrap().parse().unwrap(), size);\n"
	    "                count.to_string()\n"
	    "            }\n"
	    "            \"n\" => ask(words, size, |w| w.parse::<usize>().unwrap()),\n"
	    "            \"b\" => ask(words, size, |w| w.parse::<u8>().unwrap()),\n"
	    "            \"u\" => ask(words, size, |_| ()),\n"
	    "            \"o\" => ask(words, size, |w| Own(w.parse().unwrap(), [7; 3])),\n"
	    "            _ => ask(words, size, String::from),\n"
	    "        });\n"
	    "    }\n"
	    "}\n";
}

static uint64_t verdict_next(uint64_t *seed) { /* splitmix64 */
	uint64_t z = *seed += 0x9E3779B97F4A7C15u;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}
static void verdict_ask_count(struct buf *ask, struct buf *want, unsigned long long len, unsigned long long size) {
	if (len > UINT64_MAX - size) return;
	buf_format(ask, "c %llu %llu\n", size, len);
	buf_format(want, "%llu\n", size == 0 ? 0 : len / size + (len % size != 0));
}
static void verdict_ask_chunks(struct buf *ask, struct buf *want, uint64_t len, uint64_t size, uint64_t *seed) {
	char kind = len == 0 ? 'n' : "snbuo"[verdict_next(seed) % 5]; /* String, usize, u8, (), a type of the driver's own */
	bool text = kind == 's', none = len == 0 || size == 0;
	buf_format(ask, "%c %llu", kind, (unsigned long long)size);
	buf_add(want, none ? STR("[]\n") : STR("["));
	for (uint64_t k = 0; k < len; k++) {
		unsigned long long item = verdict_next(seed) >> (verdict_next(seed) & 63) >> (kind == 'b' ? 56 : 0);
		buf_format(ask, text ? " %llx" : " %llu", item);
		if (none) continue;
		buf_format(want, "%s%s", k == 0 ? "" : k % size == 0 ? "], " : ", ", k % size == 0 ? "[" : "");
		buf_format(want, text ? "\"%llx\"" : kind == 'u' ? "()" : kind == 'o' ? "Own(%llu, [7, 7, 7])" : "%llu", item);
	}
	buf_byte(ask, '\n');
	buf_add(want, none ? STR("") : STR("]]\n"));
}
/* A few thousand questions and the right answers: at and around every edge, and random ones. */
static void verdict_questions(struct buf *ask, struct buf *want, uint64_t seed) {
	static const uint64_t edges[] = { 0, 1, 2, 3, 4, 5, 7, 10, 11, 13, 100, 101, 8, 9, 16, 17, 31, 32, 64, 97, 127, 255,
	    256, 257, 1000, 1009, 65535, 65536 };
	const size_t n = sizeof edges / sizeof *edges;
	for (size_t i = 0; i < n * n; i++) verdict_ask_count(ask, want, edges[i / n], edges[i % n]);
	for (uint64_t i = 3 * 16; i < 3 * 64; i++) {
		uint64_t power = ((uint64_t)1 << i / 3) - 1 + i % 3;
		for (size_t j = 0; j < 12; j++)
			verdict_ask_count(ask, want, power, edges[j]), verdict_ask_count(ask, want, edges[j], power);
		verdict_ask_count(ask, want, power, (uint64_t)1 << verdict_next(&seed) % 63);
		verdict_ask_count(ask, want, power, verdict_next(&seed) >> (1 + verdict_next(&seed) % 63));
	}
	for (int i = 0; i < 1500; i++) {
		uint64_t len = verdict_next(&seed) >> (verdict_next(&seed) & 63);
		verdict_ask_count(ask, want, len, verdict_next(&seed) >> (verdict_next(&seed) & 63));
	}
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t size = i < 20 ? i : 1 + verdict_next(&seed) % 70;
		verdict_ask_chunks(ask, want, i % 4 == 0 ? size * (verdict_next(&seed) % 5) : verdict_next(&seed) % 200, size, &seed);
	}
}
#endif
