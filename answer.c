/* answer.c - what a model's server sends, as bytes that are hostile until parsed: server-sent events, the model's answer in
 * both protocols (Responses, Chat Completions), and what a failure means. Without input or output; errors have status 4. */
#ifndef HSA_ANSWER_C
#define HSA_ANSWER_C
#include "http.c"

#define SSE_EVENT_MAX ((size_t)16 << 20)   /* bytes of one event, of one line of it */
#define ANSWER_CALLS_MAX 128               /* calls in one answer */
#define COMMAND_MAX ((size_t)131071)       /* bytes of a command: MAX_ARG_STRLEN less its NUL (execve(2)) */

/* ---- 1. server-sent events (WHATWG HTML, 9.2) -------------------------------------------------------------------- */

/* The caller sets arena and zeroes the rest. */
struct sse {
	struct arena *arena;
	struct buf line, data, type;
	bool begun, cr; /* a line has ended; the last byte was CR */
};
typedef int sse_event(void *context, struct str type, struct str data, struct error *error);

static int sse_line(struct sse *s, sse_event *event, void *context, struct error *error) {
	struct str value = buf_str(&s->line), data = buf_str(&s->data), type = buf_str(&s->type);
	value = str_skip(value, !s->begun && str_starts(value, STR("\xEF\xBB\xBF")) ? 3 : 0);
	s->begun = true;
	s->line.len = 0;
	if (value.len == 0) {
		s->data.len = s->type.len = 0;
		return data.len == 0 ? 0 : event(context, type, (struct str){ data.at, data.len - 1 }, error);
	}
	struct str name = http_until(&value, ":");
	value = str_skip(value, str_starts(value, STR(" ")));
	if (str_eq(name, STR("data"))) {
		buf_add(&s->data, value);
		buf_byte(&s->data, '\n');
	} else if (str_eq(name, STR("event"))) {
		s->type.len = 0;
		buf_add(&s->type, value);
	}
	return 0;
}

/* Takes the next bytes of a stream, and calls event for each one that is complete now; what it is given lasts until it
 * returns. -1 with *error for a limit that is passed, or when event gives -1. */
static int sse_feed(struct sse *s, struct str bytes, sse_event *event, void *context, struct error *error) {
	s->line.arena = s->data.arena = s->type.arena = s->arena;
	while (bytes.len > 0) {
		size_t n = 0;
		if (s->cr && bytes.at[0] == '\n') bytes = str_skip(bytes, 1); /* of a CRLF */
		s->cr = false;
		while (n < bytes.len && bytes.at[n] != '\n' && bytes.at[n] != '\r') n++;
		if (s->line.len + s->data.len + n > SSE_EVENT_MAX)
			return error_set(error, 4, "an event of the answer is larger than 16 MiB, the limit for one event");
		buf_add(&s->line, (struct str){ bytes.at, n });
		bytes = str_skip(bytes, n);
		if (bytes.len == 0) break;
		s->cr = bytes.at[0] == '\r';
		bytes = str_skip(bytes, 1);
		if (sse_line(s, event, context, error) != 0) return -1;
	}
	return 0;
}

/* ---- 2. the model's answer --------------------------------------------------------------------------------------- */

struct answer_call {
	struct str id, name, arguments;
};

/* The caller sets the first block and zeroes the rest. All results lie in the arena. */
struct answer {
	struct arena *arena;
	bool chat;                                /* Chat Completions, else Responses */
	void (*delta)(void *, struct str text);   /* gets visible text as it comes; may be NULL */
	void *context;

	enum answer_state { ANSWER_OPEN, ANSWER_DONE, ANSWER_INCOMPLETE, ANSWER_FAILED } state;
	struct buf items;                         /* what to append to the next request's array: JSON with commas between */
	struct answer_call *calls;
	size_t count;                             /* of calls; none unless state is ANSWER_DONE */
	struct str text, refusal;                 /* visible text; a refusal */
	struct str failure, code;                 /* the server's words and code, where state is not ANSWER_DONE */
	int64_t input, cached, output, reasoning; /* tokens; -1: not said */

	struct buf words, no;                     /* text and refusal as they grow */
	struct buf (*parts)[3];                   /* chat: id, name, arguments of each call as they grow */
	size_t *slots;                            /* chat: the call, counted from 1, that an index means */
	bool shown, finished;                     /* delta has had text of this item; chat: a finish_reason came */
	size_t border, size;                      /* of the arena: above border lies what lives no longer than one event */
};

/* Shows text of the item at hand, and keeps it in *to unless that is NULL. A further message begins a line. */
static void answer_show(struct answer *a, struct str text, struct buf *to) {
	bool further = text.len > 0 && !a->shown && a->words.len > 0;
	if (to != NULL) buf_add(to, text);
	a->shown |= text.len > 0;
	if (a->delta != NULL && further) a->delta(a->context, STR("\n"));
	if (a->delta != NULL && text.len > 0) a->delta(a->context, text);
}

static struct str answer_keep(struct answer *a, struct str s) {
	return (struct str){ arena_z(a->arena, s), s.len };
}

static int answer_too_many(struct error *error) {
	return error_set(error, 4, "the model's answer holds more than %d calls, the limit for one answer", ANSWER_CALLS_MAX);
}

static int answer_add_call(struct answer *a, struct str id, struct str name, struct str args, struct error *error) {
	for (size_t k = 0; k < a->count; k++)
		if (str_eq(a->calls[k].id, id)) return error_set(error, 4, "the model's answer holds two calls with the same id");
	if (a->count == ANSWER_CALLS_MAX) return answer_too_many(error);
	a->calls[a->count++] = (struct answer_call){ answer_keep(a, id), answer_keep(a, name), answer_keep(a, args) };
	return 0;
}

/* Words and code of an error in the shapes that servers use: {"error": {message, code, type}} or {"error": "words"},
 * {message, code}, {"detail": ...}. */
static void answer_error_words(struct arena *arena, const struct json *value, struct str *words, struct str *code) {
	const struct json *error = json_get(value, "error"), *from = json_get(error, "message") != NULL ? error : value;
	const struct json *said = json_get(from, "message"), *number = json_get(from, "code");
	if (said == NULL) said = json_get(value, "detail");
	if (error != NULL && error->kind == JSON_STRING) said = error;
	*words = said == NULL || said->kind == JSON_STRING ? json_text(arena, said) : said->raw;
	*code = number != NULL && number->kind == JSON_NUMBER ? number->raw : json_text(arena, number);
	if (code->len == 0 && from != value) *code = json_text(arena, json_get(from, "type"));
}

/* Words and code of an HTTP error's body; of one that is no such JSON its beginning. */
static void answer_error_body(struct arena *arena, struct str body, struct str *words, struct str *code) {
	struct error ignored;
	body = http_trim(body);
	answer_error_words(arena, str_starts(body, STR("{")) ? json_read(arena, body, &ignored) : NULL, words, code);
	if (words->len == 0) *words = (struct str){ body.at, body.len < 300 ? body.len : 300 };
}

/* The end that is no success: no call counts. */
static int answer_fail(struct answer *a, enum answer_state state, const struct json *from, const struct json *reason) {
	struct str words, code, because = json_text(a->arena, reason);
	answer_error_words(a->arena, from, &words, &code);
	a->state = state;
	a->count = 0;
	a->failure = answer_keep(a, words.len > 0 ? words : because);
	a->code = answer_keep(a, code.len > 0 ? code : because);
	return 0;
}

static void answer_usage(struct answer *a, const struct json *usage) {
	static const char *const names[2][4] = {
		{ "input_tokens", "input_tokens_details", "output_tokens", "output_tokens_details" },
		{ "prompt_tokens", "prompt_tokens_details", "completion_tokens", "completion_tokens_details" } };
	const char *const *name = names[a->chat];
	a->input = json_integer(json_get(usage, name[0]), a->input);
	a->cached = json_integer(json_get(json_get(usage, name[1]), "cached_tokens"), a->cached);
	a->output = json_integer(json_get(usage, name[2]), a->output);
	a->reasoning = json_integer(json_get(json_get(usage, name[3]), "reasoning_tokens"), a->reasoning);
}

/* One complete output item of the Responses API, which is kept byte for byte. */
static int answer_item(struct answer *a, struct arena *scratch, const struct json *item, struct error *error) {
	struct str type = json_text(scratch, json_get(item, "type"));
	if (item == NULL || item->kind != JSON_OBJECT)
		return error_set(error, 4, "the server sent an output item that is no object");
	if (str_eq(type, STR("function_call"))) {
		const struct json *part[3] = { json_get(item, "call_id"), json_get(item, "name"), json_get(item, "arguments") };
		for (int k = 0; k < 3; k++)
			if (part[k] == NULL || part[k]->kind != JSON_STRING)
				return error_set(error, 4, "the server sent a function call without call_id, name or arguments");
		struct str id = json_text(scratch, part[0]), name = json_text(scratch, part[1]);
		if (str_eq(json_text(scratch, json_get(item, "status")), STR("incomplete")))
			return answer_fail(a, ANSWER_INCOMPLETE, NULL, json_get(item, "status"));
		if (answer_add_call(a, id, name, json_text(scratch, part[2]), error) != 0) return -1;
	}
	const struct json *content = str_eq(type, STR("message")) ? json_get(item, "content") : NULL;
	void (*delta)(void *, struct str) = a->delta;
	if (a->shown) a->delta = NULL;
	if (content != NULL && a->words.len > 0) buf_add(&a->words, STR("\n"));
	for (const struct json *part = content == NULL ? NULL : content->child; part != NULL; part = part->next) {
		answer_show(a, json_text(scratch, json_get(part, "text")), &a->words);
		answer_show(a, json_text(scratch, json_get(part, "refusal")), &a->no);
	}
	a->delta = delta;
	a->shown &= content == NULL;
	json_format(&a->items, a->items.len > 0 ? ",%r" : "%r", item->raw);
	return 0;
}

/* The response object of a terminal event, or of an answer without a stream. Its status outweighs the event's name. */
static int answer_response(struct answer *a, struct arena *scratch, const struct json *response,
    enum answer_state state, struct error *error) {
	struct str status = json_text(scratch, json_get(response, "status"));
	const struct json *output = json_get(response, "output"), *wrong = json_get(response, "error");
	if (str_eq(status, STR("incomplete"))) state = ANSWER_INCOMPLETE;
	if (str_eq(status, STR("failed")) || str_eq(status, STR("cancelled")) || (wrong != NULL && wrong->kind != JSON_NULL))
		state = ANSWER_FAILED;
	answer_usage(a, json_get(response, "usage"));
	if (state != ANSWER_DONE)
		return answer_fail(a, state, response, json_get(json_get(response, "incomplete_details"), "reason"));
	if (a->items.len == 0 && output == NULL) return error_set(error, 4, "the server sent an answer without output");
	for (const struct json *item = a->items.len > 0 ? NULL : output->child; item != NULL && a->state == ANSWER_OPEN; item = item->next)
		if (answer_item(a, scratch, item, error) != 0) return -1;
	if (a->state == ANSWER_OPEN) a->state = ANSWER_DONE;
	return 0;
}

/* One event of the Responses API; types that are not known are ignored. */
static int answer_full_event(struct answer *a, struct arena *scratch, const struct json *event, struct error *error) {
	static const struct { const char *type; enum answer_state state; } ends[] = {
		{ "response.completed", ANSWER_DONE }, { "response.done", ANSWER_DONE },
		{ "response.incomplete", ANSWER_INCOMPLETE }, { "response.failed", ANSWER_FAILED } };
	struct str type = json_text(scratch, json_get(event, "type"));
	if (str_eq(type, STR("response.output_text.delta")) || str_eq(type, STR("response.refusal.delta")))
		answer_show(a, json_text(scratch, json_get(event, "delta")), NULL);
	if (str_eq(type, STR("response.output_item.done"))) return answer_item(a, scratch, json_get(event, "item"), error);
	if (str_eq(type, STR("error")) || (type.len == 0 && json_get(event, "error") != NULL))
		return answer_fail(a, ANSWER_FAILED, event, NULL);
	for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
		if (str_eq(type, str_of(ends[k].type)))
			return answer_response(a, scratch, json_get(event, "response"), ends[k].state, error);
	return 0;
}

/* One element of tool_calls in a chat delta or message. A later empty id or name, or the same again, is ignored. */
static int answer_chat_call(struct answer *a, struct arena *scratch, const struct json *delta, struct error *error) {
	const struct json *function = json_get(delta, "function"), *arguments = json_get(function, "arguments");
	struct str id = json_text(scratch, json_get(delta, "id")), name = json_text(scratch, json_get(function, "name"));
	/* some servers leave the index out: then whoever brings a name begins a call */
	int64_t index = json_integer(json_get(delta, "index"), (int64_t)a->count - (name.len == 0 && a->count > 0));
	if (arguments != NULL && arguments->kind != JSON_STRING && arguments->kind != JSON_NULL)
		return error_set(error, 4, "the server sent a tool call whose arguments are no string");
	if (index < 0 || index >= ANSWER_CALLS_MAX) return answer_too_many(error);
	struct buf *part = a->slots[index] == 0 ? NULL : a->parts[a->slots[index] - 1];
	bool other = part != NULL && name.len > 0 && part[1].len > 0 && id.len > 0 && !str_eq(id, buf_str(part));
	if (part == NULL || other) { /* other: some servers give all the index 0 */
		if (a->count == ANSWER_CALLS_MAX) return answer_too_many(error);
		part = a->parts[a->count];
		part[0].arena = part[1].arena = part[2].arena = a->arena;
		a->slots[index] = ++a->count;
	}
	if (part[0].len == 0) buf_add(&part[0], id);
	if (!str_eq(name, buf_str(&part[1]))) buf_add(&part[1], name);
	buf_add(&part[2], json_text(scratch, arguments));
	return 0;
}

/* The end of a chat answer: its message is put together for the next request. */
static int answer_chat_close(struct answer *a, struct error *error) {
	size_t count = a->count;
	json_format(&a->items, count > 0 && a->words.len == 0 ? "{'role':'assistant','content':null" :
	    "{'role':'assistant','content':%S", buf_str(&a->words));
	if (a->no.len > 0) json_format(&a->items, ",'refusal':%S", buf_str(&a->no));
	a->count = 0;
	for (size_t k = 0; k < count; k++) {
		struct buf *part = a->parts[k];
		if (part[0].len == 0) buf_format(&part[0], "call_%zu", k + 1);
		if (answer_add_call(a, buf_str(&part[0]), buf_str(&part[1]), buf_str(&part[2]), error) != 0) return -1;
		json_format(&a->items, "%r{'id':%S,'type':'function','function':{'name':%S,'arguments':%S}}", k == 0 ?
		    STR(",\"tool_calls\":[") : STR(","), a->calls[k].id, a->calls[k].name, a->calls[k].arguments);
	}
	buf_add(&a->items, count > 0 ? STR("]}") : STR("}"));
	a->state = ANSWER_DONE;
	return 0;
}

/* One chunk of a chat stream, or a whole chat completion, whose message has the members of a delta. */
static int answer_chat_event(struct answer *a, struct arena *scratch, const struct json *event, struct error *error) {
	const struct json *wrong = json_get(event, "error"), *choices = json_get(event, "choices");
	const struct json *choice = choices == NULL ? NULL : choices->child, *delta = json_get(choice, "delta");
	if (delta == NULL) delta = json_get(choice, "message");
	answer_usage(a, json_get(event, "usage"));
	if (wrong != NULL && wrong->kind != JSON_NULL) return answer_fail(a, ANSWER_FAILED, event, NULL);
	answer_show(a, json_text(scratch, json_get(delta, "content")), &a->words);
	answer_show(a, json_text(scratch, json_get(delta, "refusal")), &a->no);
	const struct json *calls = json_get(delta, "tool_calls"), *reason = json_get(choice, "finish_reason");
	for (const struct json *call = calls == NULL ? NULL : calls->child; call != NULL; call = call->next)
		if (answer_chat_call(a, scratch, call, error) != 0) return -1;
	struct str word = json_text(scratch, reason);
	a->finished |= word.len > 0;
	bool cut = str_eq(word, STR("length")) || str_eq(word, STR("content_filter"));
	return cut ? answer_fail(a, ANSWER_INCOMPLETE, NULL, reason) : 0;
}

/* What is read of one event lies in the upper half of the arena, and is given back at once. */
static struct arena answer_begin(struct answer *a) {
	struct arena *arena = a->arena;
	if (a->border == 0) {
		a->input = a->cached = a->output = a->reasoning = -1;
		a->items.arena = a->words.arena = a->no.arena = arena;
		a->calls = arena_take(arena, sizeof *a->calls, ANSWER_CALLS_MAX);
		a->parts = arena_take(arena, sizeof *a->parts, a->chat ? ANSWER_CALLS_MAX : 0);
		a->slots = arena_take(arena, sizeof *a->slots, a->chat ? ANSWER_CALLS_MAX : 0);
		a->border = (arena->used + (arena->size - arena->used) / 2) / ARENA_STEP * ARENA_STEP;
		a->size = arena->size;
	}
	arena->size = a->border;
	return (struct arena){ .at = arena->at + a->border, .size = a->size - a->border, .full = arena->full };
}

static const struct json *answer_read_json(struct arena *scratch, struct str text, struct error *error) {
	struct error why;
	const struct json *value = json_read(scratch, text, &why);
	if (value == NULL) error_set(error, 4, "what the server sent is not valid JSON: %.190s", why.text);
	return value;
}

static int answer_finish(struct answer *a, struct arena *scratch, int result) {
	arena_reset(scratch, 0);
	a->arena->size = a->size;
	a->text = buf_str(&a->words);
	a->refusal = buf_str(&a->no);
	return result;
}

/* One event's data. 0, or -1 for nonsense (status 4). What comes behind the terminal event is ignored. */
static int answer_event(struct answer *a, struct str data, struct error *error) {
	data = http_trim(data);
	bool last = str_eq(data, STR("[DONE]"));
	if (data.len == 0 || a->state != ANSWER_OPEN || (last && !a->chat)) return 0;
	struct arena scratch = answer_begin(a);
	const struct json *event = last ? NULL : answer_read_json(&scratch, data, error);
	int result = last ? answer_chat_close(a, error) : event == NULL ? -1 :
	    (a->chat ? answer_chat_event : answer_full_event)(a, &scratch, event, error);
	return answer_finish(a, &scratch, result);
}

/* A whole JSON body in place of a stream. */
static int answer_body(struct answer *a, struct str json, struct error *error) {
	struct arena scratch = answer_begin(a);
	const struct json *body = answer_read_json(&scratch, json, error);
	return answer_finish(a, &scratch, body == NULL ? -1 : a->chat ? answer_chat_event(a, &scratch, body, error) :
	    answer_response(a, &scratch, body, ANSWER_DONE, error));
}

/* The end of the stream or body: closes a chat answer that has its finish_reason. One that is ANSWER_OPEN afterwards
 * was cut off. */
static int answer_end(struct answer *a, struct error *error) {
	if (!a->chat || !a->finished || a->state != ANSWER_OPEN) return 0;
	struct arena scratch = answer_begin(a);
	return answer_finish(a, &scratch, answer_chat_close(a, error));
}

/* The command of a call; or NULL and in *why what is wrong with the call, which then never runs. */
static char *answer_command(struct arena *arena, const struct answer_call *call, const char **why) {
	struct error error;
	*why = NULL;
	const struct json *args = json_read(arena, call->arguments, &error);
	struct str command = json_text(arena, json_get(args, "command"));
	if (!str_eq(call->name, STR("bash"))) *why = "there is no such tool; the only one is `bash`";
	else if (args == NULL) *why = arena_format(arena, "the arguments are not valid JSON: %s", error.text);
	else if (args->kind != JSON_OBJECT || args->child == NULL || args->child->next != NULL || !json_key_is(args->child, STR("command")) ||
	    args->child->kind != JSON_STRING)
		*why = "the arguments must be one object with exactly one member, the string `command`";
	else if (command.len == 0) *why = "the command is empty";
	else if (memchr(command.at, '\0', command.len) != NULL) *why = "the command holds a NUL";
	else if (command.len > COMMAND_MAX)
		*why = "the command is longer than 128 KiB, which the system does not take; write a file in pieces";
	return *why != NULL ? NULL : arena_z(arena, command);
}

/* ---- 3. failures ------------------------------------------------------------------------------------------------- */

/* Whether the conversation did not fit: OpenAI has a code; llama.cpp, vLLM and others say it in words. */
static bool answer_overflows(int status, struct str code, struct str words) {
	return status == 413 || str_eq(code, STR("context_length_exceeded")) ||
	    (str_find(words, STR("context")) >= 0 && (str_find(words, STR("maximum")) >= 0 || str_find(words, STR("exceed")) >= 0));
}

/* Whether what failed with this status, code, words and "x-should-retry" (-1: unsaid) may be asked again. */
static bool answer_retry(int status, int should_retry, struct str code, struct str words) {
	static const char *const quota[] = { "insufficient_quota", "credit_balance_exhausted", "spend_limit_exceeded", "usage_limit_exceeded" };
	for (size_t k = 0; k < sizeof quota / sizeof *quota; k++)
		if (str_ends(code, str_of(quota[k]))) return false;
	if (status == 400 || status == 401 || status == 403 || status == 404 || answer_overflows(status, code, words)) return false;
	return should_retry >= 0 ? should_retry == 1 : status == 408 || status == 409 || status == 429 || status >= 500;
}

/* What to do about a failure; begins with "; ", or is empty. key: one was sent. */
static const char *answer_hint(int status, struct str code, struct str words, bool chat, bool key) {
	if (answer_overflows(status, code, words)) return "; a smaller --output-limit keeps more room";
	if (status == 401) return key ? "; is OPENAI_API_KEY right?" : "; set OPENAI_API_KEY";
	if (str_eq(code, STR("model_not_found")) || (status == 404 && str_find(words, STR("odel")) >= 0)) return "; is --model right?";
	if (status != 404 && status != 405) return "";
	return chat ? "; is --base-url right?" : "; is --base-url right? A server without the Responses API wants --api chat";
}
#endif
