// scenarios.js GET KEY CERT: plays answers byte for byte over TCP and TLS, whole and one byte a write, to the program GET (tests/wire_get.c),
// and prints a line a test. Each row of the table: a rule (of RFC 9112, RFC 9110, WHATWG, DESIGN.md), a way of keeping or breaking it,
// what the server does, how it must end.
'use strict';
const net = require('net'), tls = require('tls'), fs = require('fs'), { execFile } = require('child_process');
const [get, keyFile, certFile] = process.argv.slice(2);

const ev = o => 'data: ' + JSON.stringify(o) + '\n\n';
const said = ev({ type: 'response.output_item.done', item: { type: 'message', content: [{ type: 'output_text', text: 'hi' }] } });
const call = ev({ type: 'response.output_item.done', item: { type: 'function_call', call_id: 'c1', name: 'bash', arguments: '{}' } });
const done = ev({ type: 'response.completed', response: { status: 'completed', output: [] } });
const sse = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n';
const json = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const chunk = s => Buffer.byteLength(s).toString(16) + '\r\n' + s + '\r\n';
const chunked = (...parts) => 'Transfer-Encoding: chunked\r\n\r\n' + parts.map(chunk).join('') + '0\r\n\r\n';
const sized = s => `Content-Length: ${Buffer.byteLength(s)}\r\n\r\n${s}`;
const good = 'ok: 200 done text=hi calls=0';
const sleep = ms => new Promise(r => setTimeout(r, ms));

// p: the peer. p.send(text), p.end() (FIN; over TLS with close_notify), p.cut() (FIN without close_notify), p.reset() (RST), p.request() (the
// next whole request), p.number (of this connection in its scenario).
const rows = [
  ['9112 7.1 chunked body', 'many chunks', async p => { await p.request(); p.send(sse + chunked(said.slice(0, 9), said.slice(9), done)); }, good],
  ['9112 7.1.1 chunk extensions', 'ignored', async p => { await p.request(); p.send(sse + 'Transfer-Encoding: chunked\r\n\r\n' + chunk(said).replace('\r\n', ';a=b;c="d;e"\r\n') + chunk(done) + '0;x\r\n\r\n'); }, good],
  ['9112 7.1.2 trailers', 'ignored', async p => { await p.request(); p.send(sse + chunked(said, done).replace(/0\r\n\r\n$/, '0\r\nContent-Length: 3\r\nX: y\r\n\r\n')); }, good],
  ['9112 6.2 Content-Length', 'exact', async p => { await p.request(); p.send(sse + sized(said + done)); }, good],
  ['9112 6.3 body to the close', 'ended properly', async p => { await p.request(); p.send(sse + '\r\n' + said + done); p.end(); }, good],
  ['9112 8 body to the close', 'cut without close_notify', async p => { await p.request(); p.send(sse + '\r\n' + said + done); p.cut(); }, { tcp: good, tls: 'fault: 200*the connection ended before the answer did' }],
  ['9112 8 chunked body', 'ends in a chunk', async p => { await p.request(); p.send(sse + chunked(said, done).slice(0, -20)); p.end(); }, 'fault: 200*the connection ended before the answer did'],
  ['9112 8 chunked body', 'ends before the last chunk', async p => { await p.request(); p.send(sse + chunked(said, done).slice(0, -5)); p.end(); }, 'fault: 200*the connection ended before the answer did'],
  ['9112 8 Content-Length', 'ends early', async p => { await p.request(); p.send(sse + sized(said + done).slice(0, -1)); p.end(); }, 'fault: 200*the connection ended before the answer did'],
  ['9112 8 framed body', 'whole, then cut without close_notify', async p => { await p.request(); p.send(sse + chunked(said, done)); p.cut(); }, good],
  ['9112 8 framed body', 'reset in the middle', async p => { await p.request(); p.send(sse + chunked(said, done).slice(0, -20)); await sleep(50); p.reset(); }, 'fault: 200*'],
  ['9112 7.1 chunk size', 'no number', async p => { await p.request(); p.send(sse + 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'); }, 'fatal: 200*malformed chunk size'],
  ['9112 7.1 chunk', 'longer than its size', async p => { await p.request(); p.send(sse + 'Transfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n'); }, 'fatal: 200*longer than its size'],
  ['9112 2.2 line ends in chunks', 'bare line feed', async p => { await p.request(); p.send(sse + 'Transfer-Encoding: chunked\r\n\r\n2\nab\n0\n\n'); }, 'fatal: 200*bare control byte'],
  ['9112 6.1 both framings', 'refused', async p => { await p.request(); p.send(sse + 'Content-Length: 5\r\n' + chunked(said, done)); }, 'fatal:*both Content-Length and Transfer-Encoding'],
  ['9112 6.3 Content-Length', 'two that differ', async p => { await p.request(); p.send(sse + 'Content-Length: 5\r\n' + sized(said)); }, 'fatal:*two Content-Lengths that differ'],
  ['9112 6.1 Transfer-Encoding', 'gzip, chunked', async p => { await p.request(); p.send(sse + 'Transfer-Encoding: gzip, chunked\r\n\r\n'); }, 'fatal:*a Transfer-Encoding other than'],
  ['9110 15.2 interim answers', '100 and 103, then 200', async p => { await p.request(); p.send('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' + sse + chunked(said, done)); }, good],
  ['9110 15.2 interim answers', 'before the request has been sent whole', async p => { p.send('HTTP/1.1 100 Continue\r\n\r\n'); await p.request(); p.send(sse + chunked(said, done)); }, good, { args: ['--body', '3000000'], big: true }],
  ['9110 15.2 interim answers', 'more than 32', async p => { await p.request(); p.send('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(40)); }, 'fatal:*more than 32 interim answers'],
  ['9110 15.2.2 switching protocols', 'refused', async p => { await p.request(); p.send('HTTP/1.1 101 Switching Protocols\r\n\r\n'); }, 'fatal:*switches protocols'],
  ['9110 15.4 redirects', 'refused with the host of the target', async p => { await p.request(); p.send('HTTP/1.1 307 Temporary Redirect\r\nLocation: https://user@other.example:444/v2\r\nContent-Length: 0\r\n\r\n'); }, 'fatal:*redirects (307) to other.example:444,*not followed'],
  ['9110 15.4 redirects', 'to another path here', async p => { await p.request(); p.send('HTTP/1.1 301 Moved\r\nLocation: /v2\r\nContent-Length: 0\r\n\r\n'); }, 'fatal:*redirects (301) to 127.0.0.1:*not followed'],
  ['9110 15.4 redirects', 'a path that looks like a host', async p => { await p.request(); p.send('HTTP/1.1 302 Found\r\nLocation: https://other.example/@127.0.0.1\r\nContent-Length: 0\r\n\r\n'); }, 'fatal:*redirects (302) to other.example,*not followed'],
  ['9110 8.4 compressed body', 'refused', async p => { await p.request(); p.send(sse + 'Content-Encoding: gzip\r\n' + chunked('x')); }, 'fatal:*compressed (gzip)'],
  ['9112 5.2 folded line', 'joined', async p => { await p.request(); p.send('HTTP/1.1 200 OK\r\nContent-Type:\r\n text/event-stream\r\n' + chunked(said, done)); }, good],
  ['9112 2.2 head', 'bare line feeds', async p => { await p.request(); p.send('HTTP/1.1 200 OK\nContent-Type: text/event-stream\n\n' + said); }, 'fatal:*bare line feeds'],
  ['9112 2.2 head', 'a NUL in a field', async p => { await p.request(); p.send('HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n'); }, 'fatal:*bare control byte'],
  ['9112 5 head', 'blank before the colon', async p => { await p.request(); p.send('HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello'); }, 'fatal:*malformed header field'],
  ['9112 4 status line', 'HTTP/2', async p => { await p.request(); p.send('HTTP/2 200\r\n\r\n'); }, 'fatal:*something else than HTTP/1.1'],
  ['9112 4 status line', 'another protocol', async p => { await p.request(); p.send('SSH-2.0-OpenSSH\r\n'); }, 'fatal:*something else than HTTP/1.1'],
  ['9112 4 status line', 'TLS on a plain port', async p => { await p.request(); p.send('\x15\x03\x01\0\x02\x02\x28'); }, 'fatal:*is an https:// URL meant'],
  ['DESIGN limit', 'a head above 64 KiB', async p => { await p.request(); p.send('HTTP/1.1 200 OK\r\n' + 'X: y\r\n'.repeat(12000)); }, 'fatal:*larger than 64 KiB, the limit for heads', { whole: true }],
  ['DESIGN limit', 'a head of 64 KiB', async p => { await p.request(); const head = sse + 'Content-Length: ' + (said + done).length + '\r\nX: '; p.send(head + 'y'.repeat(65536 - head.length - 4) + '\r\n\r\n' + said + done); }, good],
  ['DESIGN limit', 'a head of 64 KiB and a byte', async p => { await p.request(); const head = sse + 'Content-Length: ' + (said + done).length + '\r\nX: '; p.send(head + 'y'.repeat(65537 - head.length - 4) + '\r\n\r\n' + said + done); }, 'fatal:*larger than 64 KiB, the limit for heads'],
  ['DESIGN limit', 'one answer of 64 MiB', async p => { await p.request(); const ends = said + done, head = sse + 'Content-Length: ' + ((64 << 20) - sse.length - 28) + '\r\n\r\n'; p.send(head); let left = (64 << 20) - head.length - ends.length; for (; left > 1 << 20; left -= 1 << 20) p.send('\n'.repeat(1 << 20)); p.send('\n'.repeat(left) + ends); }, good, { whole: true }],
  ['DESIGN limit', 'one answer of 64 MiB and a byte', async p => { await p.request(); const ends = said + done, head = sse + 'Content-Length: ' + ((64 << 20) - sse.length - 27) + '\r\n\r\n'; p.send(head); let left = (64 << 20) - head.length - ends.length + 1; for (; left > 1 << 20; left -= 1 << 20) p.send('\n'.repeat(1 << 20)); p.send('\n'.repeat(left) + ends); }, 'fatal: 200*larger than 64 MiB, the limit for one answer', { whole: true }],
  ['DESIGN limit', 'one answer above 64 MiB', async p => { await p.request(); p.send(sse + '\r\n'); for (let k = 0; k < 66; k++) p.send((': ' + 'x'.repeat(1021) + '\n').repeat(1024)); }, 'fatal: 200*larger than 64 MiB, the limit for one answer', { whole: true }],
  ['DESIGN limit', 'one event above 16 MiB', async p => { await p.request(); p.send(sse + '\r\ndata: '); for (let k = 0; k < 17; k++) p.send('x'.repeat(1 << 20)); }, 'ok nonsense: 200*larger than 16 MiB, the limit for one event', { whole: true }],
  ['9112 9.3 persistence', 'three requests, one connection', async p => { for (let k = 0; k < 3; k++) { await p.request(); p.send(sse + chunked(said, done)); } }, [good, good, good], { args: ['--count', '3'], connections: 1 }],
  ['9112 9.6 Connection: close', 'obeyed', async p => { await p.request(); p.send(sse + 'Connection: close\r\n' + chunked(said, done)); p.end(); }, [good, good], { args: ['--count', '2'], connections: 2 }],
  ['9112 9.5 kept connection', 'closed while idle', async p => { await p.request(); p.send(sse + chunked(said, done)); p.end(); }, [good, good], { args: ['--count', '2'] }],
  ['9112 9.3.1 kept connection', 'closed as the second request comes', async p => { await p.request(); p.send(sse + chunked(said, done)); if (p.number === 1) { await p.request(); p.end(); } }, [good, good], { args: ['--count', '2'], connections: 2 }],
  ['9112 9.3.1 kept connection', 'reset as the second request comes', async p => { await p.request(); p.send(sse + chunked(said, done)); if (p.number === 1) { await p.request(); p.reset(); } }, [good, good], { args: ['--count', '2'], connections: 2 }],
  ['9112 9.3.1 kept connection', 'silent at the second request: not sent again', async p => { await p.request(); p.send(sse + chunked(said, done)); await p.request(); await sleep(8000); }, [good, 'fault:*nothing came for 1 s while waiting'], { args: ['--count', '2', '--silence', '1'], connections: 1 }],
  ['9112 9.3.1 kept connection', 'closed within the second answer: not sent again', async p => { await p.request(); p.send(sse + chunked(said, done)); await p.request(); p.send('HTTP'); p.end(); }, [good, 'fault:*closed within the head'], { args: ['--count', '2'], connections: 1 }],
  ['9112 9.2 bytes that answer nothing', 'the connection is given up', async p => { await p.request(); p.send(sse + chunked(said, done) + 'HTTP/1.1 200 OK\r\n'); }, [good, good], { args: ['--count', '2'], connections: 2 }],
  ['9112 9.5 no answer', 'closed on a fresh connection', async p => { await p.request(); p.end(); }, 'fault:*closed without an answer'],
  ['9112 9.5 no answer', 'closed within the head', async p => { await p.request(); p.send('HTTP/1.1 200 OK\r\nCont'); p.end(); }, 'fault:*closed within the head'],
  ['9112 9.5 answer before the request is read', 'read nevertheless', async p => { p.send('HTTP/1.1 413 Too Large\r\nContent-Type: application/json\r\n' + sized('{"error":{"message":"big"}}')); await sleep(100); }, 'ok: 413 failed*failure=big', { args: ['--body', '60000000'], big: true }],
  ['9110 15.3.5 no content', '204 has no body', async p => { await p.request(); p.send('HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n'); }, 'ok: 204*bytes=0'],
  ['DESIGN retries', 'Retry-After and x-should-retry', async p => { await p.request(); p.send('HTTP/1.1 429 Slow\r\nRetry-After: 7\r\nx-should-retry: false\r\nContent-Type: application/json\r\n' + sized('{"error":{"message":"slow"}}')); }, 'ok: 429*retry=7000 should=0 failure=slow'],
  ['DESIGN answers', 'a JSON body instead of a stream', async p => { await p.request(); p.send(json + sized(JSON.stringify({ status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'hi' }] }] }))); }, good],
  ['DESIGN answers', 'calls of a failed answer never count', async p => { await p.request(); p.send(sse + chunked(call, ev({ type: 'response.failed', response: { error: { message: 'no', code: 'c' } } }))); }, 'ok: 200 failed text= calls=0*failure=no'],
  ['DESIGN answers', 'a stream that ends before its end', async p => { await p.request(); p.send(sse + chunked(call)); }, 'ok: 200 open'],
  ['WHATWG 9.2 events', 'CR, CRLF, BOM, comments', async p => { await p.request(); p.send(sse + chunked('\uFEFF: hello\r\r', said.replace(/\n/g, '\r\n'), ':\n', done.replace(/\n/g, '\r'))); }, good],
  ['DESIGN addresses', 'a name is tried at each of its own', async p => { await p.request(); p.send(sse + chunked(said, done)); }, good, { host: 'localhost', whole: true }],
  ['DESIGN silence', 'nothing at all', async p => { await p.request(); await sleep(8000); }, 'fault:*nothing came for 1 s while waiting for the answer', { args: ['--silence', '1'] }],
  ['DESIGN silence', 'nothing after the head', async p => { await p.request(); p.send(sse + '\r\n' + said); await sleep(8000); }, 'fault: 200*nothing came for 1 s while reading the answer', { args: ['--silence', '1'] }],
  ['DESIGN silence', 'a head that never ends', async p => { await p.request(); p.send('HTTP/1.1 200 OK\r\nX: '); while (!p.gone) { p.send('y'); await sleep(200); } }, 'fault:*waiting for the answer took too long', { args: ['--silence', '1'], whole: true }],
  ['DESIGN silence', 'interim heads that never end', async p => { await p.request(); while (!p.gone) { p.send('HTTP/1.1 103 Early Hints\r\n\r\n'); await sleep(300); } }, 'fault:*waiting for the answer took too long', { args: ['--silence', '1'], whole: true }],
  ["DESIGN silence", "an error's body that never ends", async p => { await p.request(); p.send('HTTP/1.1 500 No\r\n\r\n'); while (!p.gone) { p.send('y'); await sleep(200); } }, 'fault: 500*reading the answer took too long', { args: ['--silence', '1'], whole: true }],
  ['DESIGN silence', 'any byte resets it', async p => { await p.request(); p.send(sse + '\r\n'); for (let k = 0; k < 8; k++) { p.send(':\n'); await sleep(300); } p.send(said + done); p.end(); }, good, { args: ['--silence', '2'] }],
  ['DESIGN Ctrl-C', 'while waiting for the head', async p => { await p.request(); await sleep(8000); }, ['stopped:*interrupted', 'at once'], { args: ['--stop', '300'] }],
  ['DESIGN Ctrl-C', 'while reading the body', async p => { await p.request(); p.send(sse + '\r\n' + said); await sleep(8000); }, ['stopped: 200*interrupted', 'at once'], { args: ['--stop', '1500'] }],
  ['DESIGN Ctrl-C', 'while a body flows without pause', async p => { await p.request(); p.send(sse + '\r\n'); for (let k = 0; k < 400 && !p.gone; k++) { p.send(':\n'.repeat(5000)); await sleep(10); } }, ['stopped: 200*interrupted', 'at once'], { args: ['--stop', '1500'], whole: true }],
  ['DESIGN Ctrl-C', 'while sending', async p => { p.socket.pause(); await sleep(8000); }, ['stopped:*interrupted', 'at once'], { args: ['--body', '60000000', '--stop', '500'], big: true }],
];

function serve(secure, slow, row) {
  let connections = 0;
  const heads = [];
  const play = raw => socket => {
    const p = { number: ++connections, socket, gone: false };
    let text = Buffer.alloc(0), wake = () => {};
    const queue = [];
    let busy = false;
    const pump = () => {
      while (queue.length > 0) {
        const next = queue[0];
        if (typeof next === 'function') { queue.shift(); next(); continue; }
        if (!slow || next.length <= 1) { queue.shift(); socket.write(next); continue; }
        socket.write(next.subarray(0, 1));
        queue[0] = next.subarray(1);
      }
    };
    const put = x => { if (p.gone) return; queue.push(x); if (!busy) { busy = true; pump(); busy = false; } };
    p.send = s => put(Buffer.from(s, /[\u0100-\uffff]/.test(s) ? 'utf8' : 'latin1'));
    p.end = () => put(() => socket.end());
    p.cut = () => put(() => setTimeout(() => raw(socket).end(), 100)); // after what has been written has gone out
    p.reset = () => put(() => raw(socket).resetAndDestroy());
    p.request = async () => {
      for (;;) {
        const end = text.indexOf('\r\n\r\n');
        if (end >= 0) {
          const head = text.subarray(0, end).toString('latin1'), length = Number(/content-length: (\d+)/i.exec(head)[1]);
          if (text.length >= end + 4 + length) { heads.push(head); text = text.subarray(end + 4 + length); return head; }
        }
        await new Promise(r => { wake = r; });
      }
    };
    socket.setNoDelay(true);
    const parts = [];
    socket.on('data', d => { parts.push(d); text = Buffer.concat([text, d]); wake(); });
    socket.on('close', () => { p.gone = true; });
    socket.on('error', () => { p.gone = true; });
    row[2](p).catch(() => {});
  };
  const raws = new Set();
  const server = net.createServer(socket => {
    raws.add(socket);
    socket.on('close', () => raws.delete(socket));
    socket.on('error', () => {});
    if (!secure) return play(s => s)(socket);
    const wrapped = new tls.TLSSocket(socket, { isServer: true, key: fs.readFileSync(keyFile), cert: fs.readFileSync(certFile), maxVersion: 'TLSv1.2' });
    wrapped.on('error', () => {});
    wrapped.on('secure', () => play(() => socket)(wrapped));
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, connections: () => connections, heads,
    close: () => { server.close(); for (const s of raws) s.destroy(); } })));
}

// A pattern whose '*' stand for anything; it need not reach the end.
const fits = (text, pattern) => new RegExp('^' + pattern.split('*').map(s => s.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*')).test(text);

async function test(secure, slow, row) {
  const [rule, way, , want, options = {}] = row, mode = (secure ? 'TLS' : 'TCP') + (slow ? ', a byte a write' : '');
  const name = `${rule}: ${way} (${mode})`, server = await serve(secure, slow, row);
  const host = options.host || '127.0.0.1', url = `${secure ? 'https' : 'http'}://${host}:${server.port}/v1`;
  const out = await new Promise(r => execFile(get, [url, '--ca', certFile, ...(options.args || [])], { timeout: 60000, maxBuffer: 1 << 24 },
    (error, stdout, stderr) => r(stdout + (error ? `${error.killed ? 'hung' : 'status ' + error.code} ${stderr}` : ''))));
  server.close();
  const lines = out.trimEnd().split('\n'), strip = s => s.replace(/: 127\.0\.0\.1: /, ': ').replace(/(\d{3}) 127\.0\.0\.1: /, '$1 ');
  let wants = want.tcp ? (secure ? want.tls : want.tcp) : want;
  wants = Array.isArray(wants) ? wants : [wants];
  const well = lines.length === wants.length && lines.every((line, k) => fits(strip(line), wants[k]));
  if (!well) console.log(`FAIL - ${name}: got ${lines.join(' / ').slice(0, 300)}, wanted ${wants.join(' / ')}`);
  else if (options.connections && server.connections() !== options.connections) console.log(`FAIL - ${name}: ${server.connections()} connections, not ${options.connections}`);
  else if (server.heads.some(h => !/^POST \/v1\/responses HTTP\/1\.1\r\nHost: (127\.0\.0\.1|localhost):\d+\r\n/.test(h) || !/\r\nX-Test: 1$/.test(h))) console.log(`FAIL - ${name}: request ${server.heads[0]}`);
  else console.log(`ok - ${name}`);
}

// A name with two addresses, of which the one that is tried first takes the connection and fails in the TLS handshake.
async function otherAddress() {
  const name = 'DESIGN addresses: after a failure the next attempt begins with the next address', seen = [];
  const take = at => socket => {
    socket.on('error', () => {});
    seen.push(at);
    if (seen.length === 1) return socket.destroy();
    const wrapped = new tls.TLSSocket(socket, { isServer: true, key: fs.readFileSync(keyFile), cert: fs.readFileSync(certFile), maxVersion: 'TLSv1.2' });
    wrapped.on('error', () => {});
    wrapped.once('data', () => wrapped.end(json + sized('{"output":[]}')));
  };
  const four = net.createServer(take('127.0.0.1')), six = net.createServer(take('::1'));
  await new Promise(r => four.listen(0, '127.0.0.1', r));
  const both = await new Promise(r => { six.on('error', () => r(false)); six.listen(four.address().port, '::1', () => r(true)); });
  const known = await new Promise(r => require('dns').lookup('localhost', { all: true }, (error, list) => r(error ? [] : list.map(a => a.address))));
  const out = await new Promise(r => execFile(get, [`https://localhost:${four.address().port}/v1`, '--ca', certFile, '--count', '2'], { timeout: 60000 }, (error, stdout) => r(stdout)));
  four.close();
  six.close();
  if (!both || !known.includes('::1') || !known.includes('127.0.0.1')) console.log(`skipped - ${name}: localhost has one address here`);
  else console.log(/^fault: .*\nok: 200/.test(out) && seen.length === 2 && seen[0] !== seen[1] ? `ok - ${name}` : `FAIL - ${name}: ${seen} ${out}`);
}

(async () => {
  const only = process.argv[5];
  for (const row of rows) {
    if (only && !(row[0] + ' ' + row[1]).includes(only)) continue;
    const modes = [];
    for (const secure of [false, true])
      for (const slow of row[4] && (row[4].whole || row[4].big) ? [false] : [false, true]) modes.push(test(secure, slow, row));
    await Promise.all(modes);
  }
  if (only === 'other address') await otherAddress();
  process.exit(0);
})();
