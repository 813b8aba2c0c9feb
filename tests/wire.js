// wire.js HSA DIR SCHEMAS: the whole program against stand-ins for the model's server, over TLS with a CA made for the test (DIR/ca.pem, a server
// certificate DIR/cert.pem, DIR/key.pem). SCHEMAS: OpenAI's published schemas, or "". Prints a line a test.
'use strict';
const http = require('http'), https = require('https'), net = require('net'), fs = require('fs'), path = require('path'), { spawn } = require('child_process');
const [hsa, dir, schemas, only] = process.argv.slice(2);
const KEY = 'sk-canary-0123456789abcdefghijklmnopqrstuvwxyz';
const say = (well, name, why) => console.log(well ? `ok - ${name}` : `FAIL - ${name}: ${String(why).replace(/\s+/g, ' ').slice(0, 600)}`);
const skip = (name, why) => console.log(`skipped - ${name}: ${why}`);

// ---- the model's side ----

let id = 0;
const message = text => ({ id: `msg_${++id}`, type: 'message', role: 'assistant', status: 'completed', phase: 'final_answer', content: [{ type: 'output_text', text, annotations: [], logprobs: [] }] });
const reasoning = () => ({ id: `rs_${++id}`, type: 'reasoning', summary: [], encrypted_content: 'gAAAA/+==' + id });
const call = (args, o = {}) => ({ id: `fc_${++id}`, type: 'function_call', status: 'completed', call_id: `call_${id}`, name: 'bash', arguments: typeof args === 'string' ? args : JSON.stringify(args), ...o });
const bash = command => call({ command });
const event = o => `event: ${o.type}\ndata: ${JSON.stringify(o)}\n\n`;
const response = (o = {}) => ({ id: 'resp_1', object: 'response', status: 'completed', output: [], usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 20, output_tokens_details: { reasoning_tokens: 5 } }, ...o });
const items = (...list) => list.map((item, k) => (item.type === 'message' ? event({ type: 'response.output_text.delta', output_index: k, delta: item.content[0].text || '' }) : '') +
  event({ type: 'response.output_item.done', output_index: k, item })).join('');
const completed = event({ type: 'response.completed', response: response() });
// What a server does with a request: a text is a whole event stream; an object {status, headers, body} an answer; a function anything.
const answer = (...list) => event({ type: 'response.created', response: response({ status: 'in_progress' }) }) + items(...list) + completed;
const json = (o, status = 200) => ({ status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(o) });
const failure = (status, error, headers = {}) => ({ status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ error }) });
const stop = failure(401, { message: 'the end of this test', code: 'invalid_api_key' }); // ends a run at once, without a verdict
const REPAIR = "sed -i 's|^    len / size$|    (len + size - 1) / size|' src/lib.rs";

// ---- running it ----

const secure = { key: fs.readFileSync(`${dir}/key.pem`), cert: fs.readFileSync(`${dir}/cert.pem`), maxVersion: 'TLSv1.2' };
async function model(turns, { plain } = {}) {
  const requests = [];
  const handler = (q, r) => {
    const parts = [];
    q.on('data', d => parts.push(d));
    q.on('end', () => {
      const body = Buffer.concat(parts);
      requests.push({ method: q.method, url: q.url, headers: q.headers, raw: q.rawHeaders, body, at: Date.now(), socket: q.socket });
      const turn = turns[Math.min(requests.length, turns.length) - 1];
      const what = typeof turn === 'function' ? turn(JSON.parse(body), r, requests.length) : turn;
      if (what === undefined) return;
      if (typeof what === 'string') { r.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }); r.end(what); } else { r.writeHead(what.status, what.headers); r.end(what.body); }
    });
  };
  const server = plain ? http.createServer(handler) : https.createServer(secure, handler);
  server.keepAliveTimeout = 60000;
  await new Promise(r => server.listen(0, '127.0.0.1', r));
  const port = server.address().port;
  return { requests, port, url: `${plain ? 'http' : 'https'}://127.0.0.1:${port}/v1`, close: () => { server.close(); server.closeAllConnections(); } };
}

// Runs hsa with a private TMPDIR; {code, out, err, ms}.
let runs = 0;
function run(args, { env = {}, key = KEY, during } = {}) {
  const tmp = `${dir}/tmp${++runs}`;
  fs.mkdirSync(tmp, { mode: 0o700 });
  const clean = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8', TMPDIR: tmp, ...(key ? { OPENAI_API_KEY: key } : {}), ...env };
  for (const name of ['CARGO_HOME', 'RUSTUP_HOME', 'ASAN_OPTIONS', 'UBSAN_OPTIONS']) if (process.env[name]) clean[name] = process.env[name];
  return new Promise(resolve => {
    const began = Date.now(), child = spawn(hsa, args, { env: clean, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    child.stdout.on('data', d => { out += d; });
    child.stderr.on('data', d => { err += d; });
    const timer = setTimeout(() => child.kill('SIGKILL'), 180000);
    if (during) during(child, () => out);
    child.on('close', (code, signal) => { clearTimeout(timer); resolve({ code: code === null ? signal : code, out, err, ms: Date.now() - began, tmp }); });
  });
}

const tests = [];
const test = (name, f) => { if (!only || name.includes(only)) tests.push([name, f]); };
// A test that runs hsa once against these turns; check gives '' or what is wrong.
const once = (name, turns, check, { args = [], server = {}, ...options } = {}) => test(name, async () => {
  const m = await model(turns, server);
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`, ...args], options);
  m.close();
  const wrong = await check(r, m.requests);
  say(!wrong, name, `${wrong}; status ${r.code}; ${r.err.slice(-300)} ${r.out.slice(-200)}`);
});
const ends = (code, words, count) => (r, requests) => r.code !== code ? `status ${r.code}, not ${code}` : !r.err.includes(words) ? `"${words}" is not said` :
  count !== undefined && requests.length !== count ? `${requests.length} requests, not ${count}` : !/(^|\n)hsa: [^\n]*\n$/.test(r.err) && code !== 0 && code !== 1 ? 'the error is not one line that begins with "hsa: "' : '';
const outputs = body => body.input.filter(i => i.type === 'function_call_output');

// ---- the main job ----

const repair = () => [answer(reasoning(), bash('cargo test 2>&1 | tail -n 5')), answer(reasoning(), message('I repair it.'), bash(REPAIR)), answer(message('Done.'))];
function prefixes(requests, key) {
  for (let k = 1; k < requests.length; k++) {
    const a = requests[k - 1].body, b = requests[k].body, end = a.lastIndexOf(']');
    if (!a.subarray(0, end).equals(b.subarray(0, end))) return `request ${k + 1} does not begin with all of request ${k} up to the end of its ${key} array`;
  }
  return '';
}
let validate = null;
function prepareSchemas() {
  if (!schemas) return 'the schemas are not beside the repository';
  let Ajv;
  try { Ajv = require('ajv').default || require('ajv'); } catch { return 'no ajv here (npm)'; }
  const doc = JSON.parse(fs.readFileSync(schemas));
  const ajv = new Ajv({ strict: false, validateFormats: false, discriminator: false, allErrors: false });
  ajv.addSchema({ $id: 'openai', ...doc });
  validate = ajv.getSchema('openai#/components/schemas/CreateResponse');
  return '';
}

test('a repair over TLS, by the Responses API', async () => {
  const m = await model(repair());
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`, '--log', `${dir}/log1`]);
  m.close();
  say(r.code === 0 && m.requests.length === 3, 'a repair over TLS ends with 0', `status ${r.code}, ${m.requests.length} requests: ${r.err} ${r.out.slice(-300)}`);
  const bodies = m.requests.map(q => JSON.parse(q.body));
  say(m.requests.every(q => q.headers.authorization === `Bearer ${KEY}` && q.method === 'POST' && q.url === '/v1/responses'), 'each request is a POST to {base}/responses with the key', JSON.stringify(m.requests.map(q => q.url)));
  say(new Set(m.requests.map(q => q.socket)).size === 1, 'one connection carries all requests', 'there were more');
  say(prefixes(m.requests, 'input') === '', 'everything up to the end of the input array is the beginning of the next request', prefixes(m.requests, 'input'));
  const last = JSON.stringify(bodies[2].input);
  say(/"encrypted_content":"gAAAA\/\+==/.test(last) && /"phase":"final_answer"/.test(last) && bodies[2].input.filter(i => i.type === 'function_call').length === outputs(bodies[2]).length,
    'items are replayed verbatim (reasoning, phase, ids), calls and outputs pair', last.slice(0, 400));
  typed['Responses.ResponseCreateParamsStreaming'].push(...bodies);
  const b = bodies[0];
  say(b.store === false && b.stream === true && b.parallel_tool_calls === false && !('include' in b) && !('reasoning' in b) && !('prompt_cache_key' in b) && !('temperature' in b) && !('max_output_tokens' in b),
    'off api.openai.com include, reasoning and prompt_cache_key are left out', Object.keys(b).join(' '));
  if (validate) say(bodies.every(x => validate(x)), 'each request validates against CreateResponse', JSON.stringify(validate.errors));
  else skip('each request validates against CreateResponse', schemaWords);
});

// Bodies of both protocols, for the types that OpenAI publishes (npm: openai): a member that is not there, or of another type, does not compile.
const typed = { 'Responses.ResponseCreateParamsStreaming': [], 'Chat.ChatCompletionCreateParamsStreaming': [] };
function typesWrong() {
  const modules = process.env.NODE_PATH || '', tsc = `${modules}/typescript/bin/tsc`;
  if (!fs.existsSync(tsc) || !fs.existsSync(`${modules}/openai`)) return null;
  fs.symlinkSync(modules, `${dir}/node_modules`);
  fs.writeFileSync(`${dir}/types.ts`, "import type OpenAI from 'openai';\n" + Object.entries(typed).map(([type, bodies], k) =>
    `export const all${k}: OpenAI.${type}[] = [\n${bodies.map(b => JSON.stringify(b)).join(',\n')}];\n// @ts-expect-error: a further member is found out\nexport const more${k}: OpenAI.${type} = ${JSON.stringify({ ...bodies[0], further: 1 })};\n`).join(''));
  const r = require('child_process').spawnSync(process.execPath, [tsc, '--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', '', `${dir}/types.ts`], { encoding: 'utf8' });
  return r.status === 0 ? '' : (r.stdout + r.stderr).trim() || `status ${r.status}`;
}

once('--effort is sent where it is given, with what belongs to it', [stop], (r, q) => { const b = JSON.parse(q[0].body); return b.reasoning && b.reasoning.effort === 'high' && (!validate || validate(b)) ? '' : JSON.stringify(b).slice(0, 300); }, { args: ['--effort', 'high'] });

// What of a chat request is not as OpenAI's reference describes it; '' for nothing.
function chatWrong(b) {
  const only = (o, names) => Object.keys(o).filter(k => !names.includes(k)).join(' '), text = x => typeof x === 'string';
  const extra = only(b, ['model', 'stream', 'stream_options', 'messages', 'tools', 'tool_choice', 'prompt_cache_key', 'reasoning_effort']);
  if (extra || !text(b.model) || b.stream !== true || b.tool_choice !== 'auto' || JSON.stringify(b.stream_options) !== '{"include_usage":true}') return `members: ${extra}`;
  const f = b.tools[0].function, p = f.parameters;
  if (b.tools.length !== 1 || only(b.tools[0], ['type', 'function']) || b.tools[0].type !== 'function' || only(f, ['name', 'description', 'parameters', 'strict']) || f.name !== 'bash' || p.type !== 'object' ||
    p.additionalProperties !== false || p.required.join() !== Object.keys(p.properties).join()) return 'tools'; // strict: every property is required, and no other allowed
  let open = [];
  for (const m of b.messages) {
    const roles = { system: ['content'], user: ['content'], assistant: ['content', 'refusal', 'tool_calls'], tool: ['content', 'tool_call_id'] }[m.role];
    if (!roles || only(m, ['role', ...roles]) || !(text(m.content) || (m.role === 'assistant' && m.content === null && m.tool_calls))) return JSON.stringify(m).slice(0, 200);
    if (m.role === 'tool' ? m.tool_call_id !== open.shift() : open.length > 0) return 'calls and outputs do not pair';
    open = open.concat((m.tool_calls || []).map(c => (c.type === 'function' && text(c.id) && text(c.function.name) && text(c.function.arguments) && !only(c, ['id', 'type', 'function']) ? c.id : 'malformed call')));
  }
  return open.length > 0 ? 'a call without its output' : '';
}
const chatChunk = o => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...o })}\n\n`;
const chatDelta = (delta, finish_reason = null) => chatChunk({ choices: [{ index: 0, delta, finish_reason }] });
const chatCall = (command, text = '') => chatDelta({ role: 'assistant', content: text || null }) + chatDelta({ tool_calls: [{ index: 0, id: `call_${++id}`, type: 'function', function: { name: 'bash', arguments: '' } }] }) +
  [...JSON.stringify({ command })].map(c => chatDelta({ tool_calls: [{ index: 0, function: { arguments: c } }] })).join('') + chatDelta({}, 'tool_calls') +
  chatChunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } }) + 'data: [DONE]\n\n';
test('a repair over TLS, by Chat Completions', async () => {
  const m = await model([chatCall('cargo test 2>&1 | tail -n 5'), chatCall(REPAIR, 'I repair it.'), chatDelta({ content: 'Done.' }) + chatDelta({}, 'stop') + 'data: [DONE]\n\n']);
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`, '--api', 'chat']);
  m.close();
  say(r.code === 0 && m.requests.length === 3 && m.requests.every(q => q.url === '/v1/chat/completions'), 'a repair by --api chat ends with 0', `status ${r.code}, ${m.requests.length} requests: ${r.err}`);
  const last = JSON.parse(m.requests[2].body).messages, roles = last.map(x => x.role).join(' ');
  say(roles === 'system user assistant tool assistant tool' && last[2].content === null && last[2].tool_calls[0].id === last[3].tool_call_id && last[4].content === 'I repair it.',
    'the conversation is replayed with calls and outputs paired', roles);
  const wrong = m.requests.map(q => chatWrong(JSON.parse(q.body))).find(w => w);
  typed['Chat.ChatCompletionCreateParamsStreaming'].push(...m.requests.map(q => JSON.parse(q.body)));
  say(!wrong, 'each chat request has the structure of CreateChatCompletionRequest', wrong);
  say(prefixes(m.requests, 'messages') === '', 'everything up to the end of the messages array is the beginning of the next request', prefixes(m.requests, 'messages'));
});

// aimock behind a TLS terminator, which adds chaos: {number of a request: what aimock shall do to it}. stream: false turns each answer into one body.
async function aimock(turns, chaos, { stream = true, args = [] } = {}) {
  const { LLMock } = require('@copilotkit/aimock'), mock = new LLMock({ port: 0 }), sent = [];
  turns.forEach((r, turnIndex) => mock.addFixture({ match: { turnIndex }, response: r }));
  await mock.start();
  const target = new URL(mock.url);
  const front = https.createServer(secure, (q, r) => {
    const parts = [];
    q.on('data', d => parts.push(d));
    q.on('end', () => {
      const { stream_options, ...whole } = JSON.parse(Buffer.concat(parts)), body = stream ? Buffer.concat(parts) : Buffer.from(JSON.stringify({ ...whole, stream: false }));
      const headers = { ...q.headers, host: target.host, 'content-length': body.length };
      sent.push(Buffer.concat(parts).toString());
      if (chaos[sent.length]) headers[`x-aimock-chaos-${chaos[sent.length]}`] = chaos[sent.length] === 'latency' ? '50' : '1.0';
      const up = http.request({ host: target.hostname, port: target.port, method: q.method, path: q.url, headers }, u => { r.writeHead(u.statusCode, u.headers); u.pipe(r); });
      up.on('error', () => r.destroy());
      up.end(body);
    });
  });
  await new Promise(r => front.listen(0, '127.0.0.1', r));
  const r = await run(['--base-url', `https://127.0.0.1:${front.address().port}/v1`, '--ca-file', `${dir}/ca.pem`, ...args]);
  front.close();
  front.closeAllConnections();
  await mock.stop();
  return { r, sent };
}
const haveAimock = () => { try { require.resolve('@copilotkit/aimock'); return true; } catch { skip('aimock, an independent stand-in', 'not here (npm)'); return false; } };
const aimockCall = (command, content) => ({ ...(content ? { content } : {}), toolCalls: [{ name: 'bash', arguments: JSON.stringify({ command }) }] });
for (const api of ['responses', 'chat'])
  for (const stream of [true, false])
    test(`aimock, ${api}, ${stream}`, async () => {
      if (!haveAimock()) return;
      const chaos = { 1: 'latency', 2: 'ratelimit', 4: 'drop', 5: 'disconnect' };
      const { r, sent } = await aimock([aimockCall('cargo test 2>&1 | tail -n 5'), aimockCall(REPAIR, 'I repair it.'), { content: 'Done.' }], chaos, { stream, args: ['--api', api] });
      say(r.code === 0 && sent.length === 6, `aimock, ${api === 'chat' ? 'Chat Completions' : 'the Responses API'}, ${stream ? 'streaming' : 'one body'}, with 429, 500 and a lost connection: repaired`, `status ${r.code}, ${sent.length} requests: ${r.err} ${r.out.slice(-300)}`);
    });
test('aimock, malformed', async () => {
  if (!haveAimock()) return;
  const { r, sent } = await aimock([aimockCall('touch made'), { content: 'Done.' }], { 1: 'malformed' });
  say(r.code === 4 && sent.length === 1 && r.err.includes('not valid JSON'), 'aimock, malformed JSON: 4, and nothing runs', `status ${r.code}, ${sent.length} requests: ${r.err}`);
});
test('aimock, the key', async () => {
  if (!haveAimock()) return;
  const { r, sent } = await aimock([aimockCall('env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"; find / -xdev -newer Cargo.toml -type f 2>/dev/null | head -50 | xargs cat 2>/dev/null | head -c 20000'), { content: 'Done.' }], {},
    { args: ['--log', `${dir}/log2`, '--keep'] });
  // The canary: in nothing that a person, a log or a command could see.
  const found = [];
  if (r.out.includes(KEY)) found.push('standard output');
  if (r.err.includes(KEY)) found.push('standard error');
  if (fs.readFileSync(`${dir}/log2`).includes(KEY)) found.push('the log');
  if (sent.some(s => s.includes(KEY))) found.push('what commands saw (their output goes into requests)');
  let files = 0;
  const walk = d => { for (const e of fs.readdirSync(d, { withFileTypes: true })) { const p = path.join(d, e.name); if (e.isDirectory()) walk(p); else if (e.isFile()) { files++; if (fs.readFileSync(p).includes(KEY)) found.push(p); } } };
  walk(r.tmp);
  say(found.length === 0 && files > 5, 'the key is in no output, no log, no private file, and in nothing that a command could see', found.join(', ') || `only ${files} files were kept`);
  say(sent.some(s => s.includes('PATH=')), '(the command that looked for it did see an environment)', 'it saw none');
});

// ---- retries ----

const later = { 'retry-after-ms': '20' };
once('500, 503, a lost connection, then an answer', [failure(500, { message: 'a' }, later), failure(503, { message: 'b' }, later), (b, r) => { r.destroy(); }, stop], (r, q) => ends(4, 'the end of this test', 4)(r, q) || (/waiting|retry/i.test(r.out + r.err) ? '' : 'the wait is not shown'));
once('409 and 408 are asked again', [failure(409, { message: 'a' }, later), failure(408, { message: 'b' }, later), stop], ends(4, 'the end of this test', 3));
once('five failures end the run', [failure(500, { message: 'it broke' }, later)], ends(4, 'the server answered 500, 5 times: it broke', 5));
once('429 is asked again after Retry-After', [failure(429, { message: 'slow' }, { 'retry-after': '1' }), stop], (r, q) => ends(4, 'the end', 2)(r, q) || (q[1].at - q[0].at >= 990 ? '' : 'too early'));
once('a Retry-After above 60 s ends the run', [failure(429, { message: 'slow' }, { 'retry-after': '61' })], ends(4, '61', 1));
for (const code of ['insufficient_quota', 'credit_balance_exhausted', 'org_spend_limit_exceeded', 'weekly_usage_limit_exceeded'])
  once(`429 for quota (${code}) is not asked again`, [failure(429, { message: 'You have no money.', type: code, code })], ends(4, 'You have no money.', 1));
once('429 for quota that only type tells', [failure(429, { message: 'None left.', type: 'insufficient_quota', code: null })], ends(4, 'None left.', 1));
once('x-should-retry: false', [failure(500, { message: 'no use' }, { 'x-should-retry': 'false' })], ends(4, 'no use', 1));
once('x-should-retry: true', [failure(422, { message: 'again' }, { 'x-should-retry': 'true', ...later }), stop], ends(4, 'the end', 2));
for (const status of [400, 401, 403, 404])
  once(`${status} is not asked again`, [failure(status, { message: `words of ${status}` }, { 'x-should-retry': 'true' })], ends(4, `words of ${status}`, 1));
once('llama.cpp says it otherwise', [failure(400, { message: 'the request exceeds the available context size', code: 400, type: 'exceed_context_size_error' })], ends(4, '--output-limit', 1));
once('vLLM says it in words only', [failure(400, { message: "This model's maximum context length is 8192 tokens.", code: 400, type: 'BadRequestError' })], ends(4, '--output-limit', 1));
once('a server that is silent is not asked again', [() => {}], ends(4, '--model-timeout S allows more', 1), { args: ['--model-timeout', '1'] });
once('nor one that falls silent', [(b, r) => { r.writeHead(200, { 'content-type': 'text/event-stream' }); r.write(': here\n\n'); }], ends(4, '--model-timeout S allows more', 1), { args: ['--model-timeout', '1'] });
once('two messages of one answer stand on lines of their own', [answer(message('one'), message('two'))], r => /one\n\W*two/.test(r.out) ? '' : r.out);
once('a context that overflows names --output-limit', [failure(400, { message: 'too long', code: 'context_length_exceeded' })], ends(4, '--output-limit', 1));
once("the server's words are shown clean", [failure(400, { message: 'bad\u001b[31m\u009b1m \u202eesrever\u0007\r\nsecond line' })], (r, q) => ends(4, 'bad', 1)(r, q) || (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(r.err + r.out) ? 'a control character reached the terminal' : ''));
once("what the server echoes of the key is masked", [failure(401, { message: `Incorrect API key provided: ${KEY}.` })], (r, q) => ends(4, 'Incorrect API key', 1)(r, q) || (r.err.includes('canary') ? 'it is not' : ''));
// No piece of the key of 16 bytes or more: what else cuts what is shown must not leave one.
const pieces = [...Array(KEY.length - 15).keys()].map(k => KEY.slice(k, k + 16));
const secret = (r, log = '') => { const all = r.out + r.err + log; return pieces.some(p => all.includes(p)) ? `a piece of the key is shown` : ''; };
const echo = (name, turn, code = 4) => once(`the key, echoed ${name}, is masked`, [turn, stop], r => r.code !== code ? `status ${r.code}` : secret(r));
const sse = body => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
echo('where an error page is cut', { status: 400, headers: { 'content-type': 'text/html' }, body: 'x'.repeat(270) + KEY });
echo('where the words of an error are cut', failure(400, { message: 'x'.repeat(570) + KEY }));
echo('with control characters in it', failure(400, { message: KEY.replace(/(.)/g, '$1\u0007') }));
echo('as the code of an error', failure(400, { message: 'no', code: 'x'.repeat(30) + KEY }));
echo('in words of a failed answer', event({ type: 'response.failed', response: response({ status: 'failed', error: { code: 'c', message: 'x'.repeat(580) + KEY } }) }));
echo('in the reason of an incomplete answer', event({ type: 'response.incomplete', response: response({ status: 'incomplete', incomplete_details: { reason: 'x'.repeat(590) + KEY } }) }));
echo('as a Content-Encoding', { status: 200, headers: { 'content-encoding': 'x'.repeat(30) + KEY }, body: '' });
echo('as a Content-Type', { status: 200, headers: { 'content-type': 'x'.repeat(100) + KEY }, body: 'x' });
echo('as the target of a redirect', { status: 302, headers: { location: 'https://' + 'x'.repeat(220) + KEY }, body: '' });
echo('as the reason of a 200 that is nonsense', sse(`data: ${KEY}\n\n`));
echo('in text, split over many events', event({ type: 'response.created' }) + [...KEY].map(c => event({ type: 'response.output_text.delta', delta: c })).join('') + items(message('x'), bash('true')) + completed);
echo('in text, escaped as JSON', sse(`data: {"type":"response.output_text.delta","delta":"${[...KEY].map(c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0')).join('')}"}\n\n` + items(message('x'), bash('true')) + completed));
echo('in text, with escape sequences in it', event({ type: 'response.output_text.delta', delta: KEY.replace(/(.{5})/g, '$1\u001b[31m') }) + items(message('x'), bash('true')) + completed);
test('the log of a run is whole and without the key', async () => {
  const m = await model([answer(message(`the key is ${KEY}`), bash(`echo ${KEY}`)), event({ type: 'response.output_text.delta', delta: KEY.slice(0, -1) }) + items(message(KEY.slice(1)), bash('true')) + completed, stop]), log = `${dir}/log${++id}`;
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`, '--log', log]);
  m.close();
  say(r.code === 4 && secret(r, fs.readFileSync(log)) === '', 'no piece of the key stands in a log, or in what is shown, that a model and its commands say', `status ${r.code}, ${secret(r, fs.readFileSync(log))}`);
});
// Whatever field a server fills: nothing of it commands the terminal.
const EVIL = '\u001b]0;t\u0007\u001b[2J\u009b31m\u009d0;t\u009c\u202e\u2066\u061c\r\b\u0000\u007f';
const tidy = (name, turn, options = {}) => once(`control characters in ${name} do not reach the terminal`, [turn, stop], r => (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069]/.test(r.out + r.err) ? 'they do' :
  (r.out + r.err).includes('seen') ? '' : 'the field is not shown'), options);
tidy('the code of an error', failure(400, { message: 'no', code: `seen${EVIL}seen` }));
tidy('an error page', { status: 400, headers: { 'content-type': 'text/html' }, body: `seen${EVIL}seen` });
tidy('the words of a failed answer', event({ type: 'error', code: EVIL, message: `seen${EVIL}seen` }));
tidy('the reason of an incomplete answer', event({ type: 'response.incomplete', response: response({ status: 'incomplete', incomplete_details: { reason: `seen${EVIL}` } }) }));
tidy('a refusal', answer({ id: 'm', type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: `seen${EVIL}` }] }, bash('true')));
tidy('a command', answer(bash(`: seen ${EVIL.replace('\0', '')}`)));
tidy('what a command writes', answer(bash(`printf 'seen\\033]0;t\\007\\033[2J\\302\\23331m\\233\\342\\200\\256\\r\\b\\000\\177'`)));
tidy('a Content-Type', { status: 200, headers: { 'content-type': 'seen\u009b31m' }, body: 'x' });
tidy('the target of a redirect', { status: 302, headers: { location: 'https://seen\u009b31m' }, body: '' });
once('an unknown model', [failure(404, { message: 'The model `x` does not exist', code: 'model_not_found' })], ends(4, '; is --model right?', 1));
once('a server without the Responses API', [{ status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' }], ends(4, '--api chat', 1));
once('a path that is not there, for --api chat', [json({ detail: 'Not Found' }, 404)], ends(4, '(404): Not Found; is --base-url right?', 1), { args: ['--api', 'chat'] });
once('405 is a wrong path', [{ status: 405, headers: {}, body: '' }], ends(4, 'no words; is --base-url right?', 1));
once('401 without a key', [failure(401, { message: 'no' })], ends(4, '; set OPENAI_API_KEY', 1), { key: '', server: { plain: true } });
once('a web page in place of an answer', [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><h1>Welcome</h1>' }], ends(4, 'the answer is text/html, neither JSON nor an event stream: is --base-url right?', 1));
once('an error body of 1 MiB', [{ status: 400, headers: { 'content-type': 'application/json' }, body: (s => s + ' '.repeat((1 << 20) - s.length))('{"error":{"message":"all of it"}}') }], ends(4, 'all of it', 1));
once('an error body above 1 MiB', [{ status: 400, headers: { 'content-type': 'application/json' }, body: (s => s + ' '.repeat((1 << 20) + 1 - s.length))('{"error":{"message":"all of it"}}') }], ends(4, '1 MiB, the limit for an error', 1));
once('quota is final, whatever x-should-retry says', [failure(429, { message: 'None left.', code: 'insufficient_quota' }, { 'x-should-retry': 'true' })], ends(4, 'None left.', 1));
once('an error page that is no JSON', [{ status: 404, headers: { 'content-type': 'text/html' }, body: '<html><h1>Not here</h1></html>' }], ends(4, '404', 1));
once('a stream that is cut is asked again, and its call runs once', [(b, r) => { r.writeHead(200, { 'content-type': 'text/event-stream' }); r.write(items(bash('echo ran >> count'))); setTimeout(() => r.destroy(), 100); },
  answer(bash('echo ran >> count')), answer(bash('cat count')), stop], (r, q) => { const o = q[3] && outputs(JSON.parse(q[3].body)).pop().output; return !o ? 'no output' : (o.match(/^ran$/gm) || []).length === 1 ? '' : o; });
once('a stream that ends properly before its terminal event is asked again', [items(bash('echo no > made')), stop], ends(4, 'the end', 2));
once('a certificate that is not trusted is not asked again', [stop], (r, q) => ends(4, '--ca-file', 0)(r, q), { args: ['--ca-file', `${dir}/otherca.pem`] });
test('Ctrl-C ends the wait for a retry at once', async () => {
  const m = await model([failure(500, { message: 'a' }, { 'retry-after': '50' })]);
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`], { during: child => { const t = setInterval(() => { if (m.requests.length > 0) { clearInterval(t); setTimeout(() => child.kill('SIGINT'), 300); } }, 20); } });
  m.close();
  say(r.code === 130 && r.ms < 30000 && fs.readdirSync(r.tmp).length === 0, 'Ctrl-C ends the wait for a retry at once, and nothing is left', `status ${r.code} after ${r.ms} ms, left: ${fs.readdirSync(r.tmp)}`);
});
test('Ctrl-C while an answer is awaited', async () => {
  const m = await model([() => undefined]);
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`], { during: child => { const t = setInterval(() => { if (m.requests.length > 0) { clearInterval(t); setTimeout(() => child.kill('SIGINT'), 100); } }, 20); } });
  m.close();
  say(r.code === 130 && r.ms < 30000, 'Ctrl-C while an answer is awaited ends the run at once', `status ${r.code} after ${r.ms} ms`);
});
once('nothing but comments for four times --model-timeout is given up', [(b, r) => { r.writeHead(200, { 'content-type': 'text/event-stream' }); const t = setInterval(() => r.write(': keep\n\n'), 200); r.on('close', () => clearInterval(t)); }],
  ends(4, 'comments', 1), { args: ['--model-timeout', '1'] });

// What drips for ever: each byte comes in time, but it must end.
const drip = (r, head, bytes, ms = 150) => { if (head) r.write(head); let k = 0; const t = setInterval(() => r.write(bytes[k++ % bytes.length]), ms); r.on('close', () => clearInterval(t)); };
once('an event that never ends is given up', [(b, r) => { r.writeHead(200, { 'content-type': 'text/event-stream' }); drip(r, 'data: ', 'x'); }], ends(4, 'given up', 1), { args: ['--model-timeout', '1'] });
once('a JSON body that never ends is given up', [(b, r) => { r.writeHead(200, { 'content-type': 'application/json' }); drip(r, '{', ' '); }], ends(4, 'given up', 1), { args: ['--model-timeout', '1'] });
once('what never ends behind the terminal event does not hold the run', [(b, r) => { r.writeHead(200, { 'content-type': 'text/event-stream' }); drip(r, answer(bash('true')), ':\n'); }, stop], ends(4, 'the end', 2));

// ---- answers ----

const failed = (name, last, words, status = 4) => once(name, [items(bash('echo no > made')) + last], (r, q) => ends(status, words, 1)(r, q) || (fs.existsSync(`${r.tmp}/made`) ? 'its call ran' : ''));
failed('response.failed: its words, no call of it runs', event({ type: 'response.failed', response: response({ status: 'failed', error: { code: 'server_error', message: 'I cannot go on.' } }) }), 'I cannot go on.');
failed('error in a stream', event({ type: 'error', code: 'x', message: 'It broke.', param: null }), 'It broke.');
failed('response.incomplete: its reason, no call of it runs', event({ type: 'response.incomplete', response: response({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }) }), 'max_output_tokens');
failed('a call that is itself incomplete', items(call({ command: 'touch made' }, { status: 'incomplete' })) + completed, 'incomplete');
once('more values than memory should hold', [sse('data: [' + '[],'.repeat(1 << 20) + '[]]\n\n')], ends(4, 'the JSON size limit', 1));
once('more levels than 512', [sse('data: ' + '['.repeat(513) + ']'.repeat(513) + '\n\n')], ends(4, 'the JSON depth limit', 1));
test('a log of items as deep as they may be', async () => {
  const deep = `{"type":"x","y":${'['.repeat(509)}${']'.repeat(509)}}`, log = `${dir}/log${++id}`;
  const m = await model([`data: {"type":"response.output_item.done","item":${deep}}\n\n` + items(bash('true')) + completed, stop]);
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`, '--log', log]), audit = await run(['audit', log]);
  m.close();
  say(r.code === 4 && m.requests.length === 2 && m.requests[1].body.includes(deep) && audit.code === 0, 'an item of 510 levels is replayed verbatim, and its log can be audited', `status ${r.code}, ${audit.code}: ${audit.err}`);
});
const heavy = mib => ({ ...reasoning(), encrypted_content: 'x'.repeat(mib << 20) });
once('a conversation above 64 MiB', [answer(heavy(15), heavy(15), heavy(4), bash('true')), answer(heavy(15), heavy(15), heavy(4), bash('true'))],
  ends(4, '64 MiB, the limit for one request', 2));
once('nonsense in a stream', ['data: {nonsense\n\n'], ends(4, 'hsa: ', 1));
once('a redirect is not followed, its host is named', [{ status: 307, headers: { location: 'https://elsewhere.example/v1/responses' }, body: '' }], ends(4, 'elsewhere.example', 1));
once('407 without a proxy is an error like others', [failure(407, { message: 'who are you' })], ends(4, 'refused (407): who are you', 1));
once('a compressed body is refused', [{ status: 200, headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }, body: 'x' }], ends(4, 'gzip', 1));
once('a refusal is an answer: shown, and the verdict decides', [answer({ id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'refusal', refusal: 'I would rather not.' }] })], (r, q) => ends(1, '', 1)(r, q) || ((r.out + r.err).includes('I would rather not.') ? '' : 'it is not shown'));
once('an empty answer is an answer', [answer(message(''))], ends(1, '', 1));
once('a JSON body in place of a stream', [(b, r) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(response({ output: [bash(REPAIR)] })) }), answer(message('Done.'))], ends(0, '', 2));
once('what a model says reaches the terminal clean', [answer(message('\u001b]0;title\u0007\u001b[2Jclean\u009b31m \u202etxet')), stop], (r, q) => r.code === 1 && !/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(r.out + r.err) && r.out.includes('clean') ? '' : 'it does not');

// Arguments that must never run, each in an answer of its own or together: every call is answered with an error.
const bad = [['not JSON', 'touch made'], ['cut off', '{"command":"touch made'], ['cut off behind the value', '{"command":"touch made"'], ['no object', '"touch made"'], ['an array', '["touch made"]'], ['null', 'null'], ['empty', ''],
  ['a further key', '{"command":"touch made","x":1}'], ['a duplicate key', '{"command":"true","command":"touch made"}'], ['a duplicate key, escaped', '{"command":"true","c\\u006fmmand":"touch made"}'], ['no command', '{}'],
  ['another key', '{"cmd":"touch made"}'], ['an empty command', '{"command":""}'], ['a number', '{"command":7}'], ['a list', '{"command":["touch","made"]}'], ['null for a command', '{"command":null}'], ['a NUL', '{"command":"touch made\\u0000"}'],
  ['something behind it', '{"command":"touch made"} x'], ['two objects', '{"command":"touch made"}{"command":"touch made"}'], ['a trailing comma', '{"command":"touch made",}'], ['single quotes', "{'command':'touch made'}"],
  ['a line end in the string', '{"command":"touch made\n"}'], ['more than 128 KiB', JSON.stringify({ command: 'touch made #' + 'x'.repeat(131072) })]];
once(`arguments of ${bad.length} bad kinds never run, each is answered with an error`, [answer(...bad.map(([, a]) => call(a)), bash('ls made; echo looked')), stop], (r, q) => {
  const o = q[1] ? outputs(JSON.parse(q[1].body)).map(x => x.output) : [];
  if (o.length !== bad.length + 1) return `${o.length} outputs`;
  if (!o[bad.length].includes('looked') || !o[bad.length].includes('No such file')) return `one ran: ${o[bad.length]}`;
  const wrong = bad.findIndex((b, k) => /exit status/.test(o[k]) || o[k].length < 5);
  return wrong < 0 ? '' : `${bad[wrong][0]}: ${o[wrong]}`;
});
once('an unknown tool is answered with an error that names bash', [answer(call({ command: 'touch made' }, { name: 'python' })), stop], (r, q) => { const o = outputs(JSON.parse(q[1].body))[0].output; return /bash/.test(o) && !/exit status/.test(o) ? '' : o; });
const told = q => outputs(JSON.parse(q[1].body))[0].output;
once('a NUL in the output hides nothing behind it', [answer(bash("printf 'a\\0b\\n'; echo after")), stop], (r, q) => told(q).endsWith('\na\ufffdb\nafter\n') ? '' : JSON.stringify(told(q)));
once('long output is cut between two characters', [answer(bash("for i in $(seq 3000); do printf 'é€😀'; done")), stop], (r, q) => /\n\[\d+ bytes left out here\]\n/.test(told(q)) && !told(q).includes('\ufffd') ? '' : 'it is not');
once('what is writable is said, --writable included', [answer(bash('touch /nope')), stop], (r, q) => / only .*, \/var\/tmp and .* can be changed/.test(told(q)) ? '' : told(q), { args: ['--writable', '/var/tmp'] });
once('several calls of one answer run in order, calls and outputs pair', [answer(bash('echo 1 >> n'), bash('echo 2 >> n'), bash('cat n')), stop], (r, q) => { const i = JSON.parse(q[1].body).input, o = i.filter(x => x.type === 'function_call_output'),
  c = i.filter(x => x.type === 'function_call'); return o.length === 3 && o.every((x, k) => x.call_id === c[k].call_id) && /1\n2\n/.test(o[2].output) ? '' : JSON.stringify(o); });
once('two calls with the same id are nonsense, and neither runs', [answer(call({ command: 'touch made' }, { call_id: 'same' }), call({ command: 'touch made' }, { call_id: 'same' }))], ends(4, 'same id', 1));

test('sixteen iterations', async () => {
  const turns = [...Array(16).keys()].map(k => answer(reasoning(), bash(`head -c 100000 /dev/zero | tr '\\0' '${String.fromCharCode(97 + k)}'; echo; echo ${k}`)));
  const m = await model(turns);
  const r = await run(['--base-url', m.url, '--ca-file', `${dir}/ca.pem`, '--max-iterations', '16']);
  m.close();
  const last = JSON.parse(m.requests[m.requests.length - 1].body);
  say(r.code === 1 && m.requests.length === 16 && outputs(last).length === 15 && outputs(last).every(o => o.output.length > 20000 && o.output.length < 26000), 'sixteen iterations of 24 KiB outputs', `status ${r.code}, ${m.requests.length} requests, ${r.err}`);
  say(prefixes(m.requests, 'input') === '' && m.requests.length === 16, 'their common prefix is byte-identical', prefixes(m.requests, 'input'));
  if (validate) say(validate(last), 'the last of them validates against CreateResponse', JSON.stringify(validate.errors));
});

// ---- proxies ----

function proxy(user) {
  const seen = [];
  const server = http.createServer((q, r) => { // absolute-form
    seen.push({ line: `${q.method} ${q.url}`, headers: q.headers });
    if (user && q.headers['proxy-authorization'] !== 'Basic ' + Buffer.from(user).toString('base64')) { r.writeHead(407); r.end(); return; }
    const u = new URL(q.url), { 'proxy-authorization': _, ...headers } = q.headers;
    const up = http.request({ host: '127.0.0.1', port: u.port, method: q.method, path: u.pathname, headers }, a => { r.writeHead(a.statusCode, a.headers); a.pipe(r); });
    up.on('error', () => r.destroy());
    q.pipe(up);
  });
  server.on('connect', (q, socket) => {
    seen.push({ line: `CONNECT ${q.url}`, headers: q.headers });
    socket.on('error', () => {});
    if (user && q.headers['proxy-authorization'] !== 'Basic ' + Buffer.from(user).toString('base64')) { socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'); return; }
    const up = net.connect(server.toPort || Number(q.url.split(':').pop()), '127.0.0.1', () => { socket.write('HTTP/1.1 200 Connection established\r\n\r\n'); up.pipe(socket); socket.pipe(up); });
    up.on('error', () => socket.destroy());
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve({ seen, server, port: server.address().port, close: () => { server.close(); server.closeAllConnections(); } })));
}
const viaProxy = (name, user, plain, options, check) => test(name, async () => {
  const m = await model([stop], { plain }), p = await proxy(user);
  const o = options(m, p), log = `${dir}/log${++id}`;
  if (o.toModel) p.server.toPort = m.port; // whatever name is asked for
  const r = await run(['--base-url', o.url || m.url, '--ca-file', `${dir}/ca.pem`, '--log', log, ...(o.args || [])], o);
  m.close();
  p.close();
  const wrong = check(r, m.requests, p.seen) || (/pass word|pass%20word|passw(?!ord)|cGFzc3/.test(r.out + r.err + (fs.existsSync(log) ? fs.readFileSync(log) : '')) ? "the proxy's password is shown" : '');
  say(!wrong, name, `${wrong}; status ${r.code}; ${r.err.slice(-300)} ${JSON.stringify(p.seen).slice(0, 300)}`);
});
const reached = (r, q) => ends(4, 'the end of this test', 1)(r, q);
viaProxy('HTTPS_PROXY: a tunnel with credentials, which never sees the key', 'us@er:pass word', false, (m, p) => ({ env: { HTTPS_PROXY: `http://us%40er:pass%20word@127.0.0.1:${p.port}` } }),
  (r, q, seen) => reached(r, q) || (seen.length === 1 && /^CONNECT 127\.0\.0\.1:\d+$/.test(seen[0].line) && !JSON.stringify(seen).includes('canary') && !q[0].headers['proxy-authorization'] ? '' : 'the proxy saw something else'));
viaProxy('https_proxy, without http://', '', false, (m, p) => ({ env: { https_proxy: `127.0.0.1:${p.port}` } }), (r, q, seen) => reached(r, q) || (seen.length === 1 ? '' : 'not by the proxy'));
viaProxy('a proxy that wants other credentials', 'user:passw', false, (m, p) => ({ env: { HTTPS_PROXY: `http://user:passwrong@127.0.0.1:${p.port}` } }), ends(4, '407', 0));
viaProxy('a name that only the proxy knows, TLS checked against it', '', false, (m, p) => ({ url: `https://model.example:${m.port}/v1`, env: { HTTPS_PROXY: `http://127.0.0.1:${p.port}` } }), reached);
viaProxy('api.openai.com gets effort medium, encrypted reasoning and a cache key', '', false, (m, p) => ({ url: 'https://api.openai.com/v1', env: { HTTPS_PROXY: `http://127.0.0.1:${p.port}` }, toModel: true }),
  (r, q) => { const b = q[0] && JSON.parse(q[0].body); typed['Responses.ResponseCreateParamsStreaming'].push(b); return reached(r, q) || (b.reasoning.effort === 'medium' && b.include[0] === 'reasoning.encrypted_content' && b.prompt_cache_key.length <= 64 && b.model === 'gpt-5.6-terra' &&
    q[0].headers.host === 'api.openai.com' && (!validate || validate(b)) ? '' : JSON.stringify(b).slice(0, 400)); });
viaProxy('a name that the certificate has not', '', false, (m, p) => ({ url: `https://other.example:${m.port}/v1`, env: { HTTPS_PROXY: `http://127.0.0.1:${p.port}` } }), ends(4, 'other hosts', 0));
viaProxy('HTTP_PROXY for http, with credentials; the key is sent with a warning', 'user:passw', true, (m, p) => ({ url: `http://model.example:${m.port}/v1`, env: { HTTP_PROXY: `http://user:passw@127.0.0.1:${p.port}` } }),
  (r, q, seen) => reached(r, q) || (/^POST http:\/\/model\.example:\d+\/v1\/responses$/.test(seen[0].line) && seen[0].headers.host.startsWith('model.example:') && /http:\/\/|key|plain|unencrypted|clear/i.test(r.out + r.err) ? '' : 'not in absolute form'));
viaProxy('NO_PROXY: reached directly', '', false, (m, p) => ({ env: { HTTPS_PROXY: `http://127.0.0.1:${p.port}`, NO_PROXY: 'example.com, 127.0.0.0/8' } }), (r, q, seen) => reached(r, q) || (seen.length === 0 ? '' : 'by the proxy'));
viaProxy('no_proxy: *', '', false, (m, p) => ({ env: { https_proxy: `http://127.0.0.1:${p.port}`, no_proxy: '*' } }), (r, q, seen) => reached(r, q) || (seen.length === 0 ? '' : 'by the proxy'));
viaProxy('HTTPS_PROXY means nothing to http', '', true, (m, p) => ({ env: { HTTPS_PROXY: `http://127.0.0.1:${p.port}` } }), (r, q, seen) => reached(r, q) || (seen.length === 0 ? '' : 'by the proxy'));
for (const [name, url] of [['by http', 'http'], ['by a tunnel', 'https']])
  test(`the credentials that a proxy echoes (${name})`, async () => {
    const hostile = net.createServer(s => { s.on('error', () => {}); s.once('data', d => { const c = /Basic (\S+)/.exec(d)[1]; s.end(`HTTP/1.1 403 user:password-of-user ${c}\r\nContent-Type: text/plain\r\nX: ${c}\r\n\r\nyou are ${c}, user:password-of-user`); }); });
    await new Promise(r => hostile.listen(0, '127.0.0.1', r));
    const r = await run(['--base-url', `${url}://model.example/v1`, '--ca-file', `${dir}/ca.pem`], { env: { HTTP_PROXY: `http://user:password-of-user@127.0.0.1:${hostile.address().port}`, HTTPS_PROXY: `http://user:password-of-user@127.0.0.1:${hostile.address().port}` } });
    hostile.close();
    say(r.code === 4 && r.err.includes('403') && !/password-|dXNlcjpwYXNzd29/.test(r.err + r.out), `the credentials that a proxy echoes are not shown (${name})`, `status ${r.code}: ${r.err}`);
  });
// A proxy that answers CONNECT with these bytes: what is said then; it never sees the key.
for (const [what, bytes, words] of [['bytes before TLS', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', 'does not connect to it: 200'], ['plain HTTP in the tunnel', 'HTTP/1.1 200 OK\r\n\r\n|HTTP/1.1 200 OK\r\n\r\n', 'is an http:// URL meant?'],
  ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: http://elsewhere/\r\n\r\n', 'does not connect to it: 302 Found'], ['its own words', 'HTTP/1.1 403 \x1b[31mno\x9b1m\r\n\r\n', 'bare control byte'], ['another protocol', 'SOCKS\r\n\r\n', 'something else than HTTP/1.1'],
  ['a head without an end', 'HTTP/1.1 200 OK\r\n' + 'X: y\r\n'.repeat(12000), 'larger than 64 KiB, the limit for heads']])
  test(`a hostile proxy: ${what}`, async () => {
    let seen = '';
    const hostile = net.createServer(s => { s.on('error', () => {}); const parts = bytes.split('|'); s.on('data', d => { seen += d.toString('latin1'); if (parts.length > 0) s.write(Buffer.from(parts.shift(), 'latin1')); }); });
    await new Promise(r => hostile.listen(0, '127.0.0.1', r));
    const r = await run(['--base-url', 'https://model.example/v1', '--ca-file', `${dir}/ca.pem`], { env: { HTTPS_PROXY: `http://127.0.0.1:${hostile.address().port}` } });
    hostile.close();
    say(r.code === 4 && r.err.includes(words) && seen.startsWith('CONNECT model.example:443 HTTP/1.1\r\n') && !seen.includes('canary'), `a proxy that answers CONNECT with ${what}: refused in words, and it never saw the key`, `status ${r.code}: ${r.err}`);
  });
viaProxy('http to this machine through a proxy: the warning', '', true, (m, p) => ({ env: { HTTP_PROXY: `http://127.0.0.1:${p.port}` } }), (r, q, seen) => reached(r, q) || (seen.length === 1 && /WARNING.*http/.test(r.out) ? '' : 'no warning'));
viaProxy('a proxy that cannot be had', '', false, () => ({ env: { HTTPS_PROXY: 'socks5://127.0.0.1:1' } }), ends(2, 'proxy', 0));

test('no server', async () => {
  const r = await run(['--base-url', 'https://127.0.0.1:1/v1', '--ca-file', `${dir}/ca.pem`]);
  say(r.code === 4 && /nothing answers at port 1 \(Connection refused\): is it running, and --base-url right\?\n/.test(r.err), 'a server that is not there: asked again, then 4 with the reason', `status ${r.code}: ${r.err}`);
});
test('http to loopback needs no key', async () => {
  const m = await model([stop], { plain: true });
  const r = await run(['--base-url', m.url], { key: '' });
  m.close();
  say(r.code === 4 && m.requests.length === 1 && !('authorization' in m.requests[0].headers), 'over http to this machine no key is needed, and none is sent', `status ${r.code}: ${r.err}`);
});

const schemaWords = prepareSchemas();
(async () => {
  const queue = tests.slice(), worker = async () => {
    for (let next; (next = queue.shift());) try { await next[1](); } catch (e) { say(false, next[0], e.stack); }
  };
  await Promise.all([worker(), worker(), worker()]);
  if (Object.values(typed).every(bodies => bodies.length > 0)) {
    const wrong = typesWrong(), name = "the requests of both protocols fit the types that OpenAI publishes, and nothing else does";
    if (wrong === null) skip(name, 'no openai or typescript here (npm)');
    else say(wrong === '', name, wrong);
  }
  process.exit(0);
})();
