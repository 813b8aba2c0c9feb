// certs.js GET DIR: a table of certificates, property by value, made with openssl now, each held by a server here. The wire of hsa (GET:
// tests/wire_get.c) and curl judge each server; a line a test. Where the two differ, the row says so, and why.
'use strict';
const tls = require('tls'), net = require('net'), fs = require('fs'), { execFileSync, execFile } = require('child_process');
const [get, dir] = process.argv.slice(2);
process.chdir(dir);

const openssl = (...args) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
let serial = 1000;
const day = n => new Date(Date.now() + n * 86400000).toISOString().replace(/[-:T]/g, '').slice(0, 14) + 'Z';

// make(name, {by, key, subject, ext, from, until, hash, extra}): a certificate and its key, signed by the pair `by` (itself if none).
const keys = { ec: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1'], p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp384r1'],
  p521: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp521r1'], k256: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
  ed: ['-algorithm', 'ED25519'], pss: ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'] };
const made = {};
function make(name, o = {}) {
  const kind = o.key || 'ec', bits = /^rsa(\d+)$/.exec(kind);
  if (!o.keyOf) openssl('genpkey', '-out', `${name}.key`, ...(bits ? ['-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${bits[1]}`] : keys[kind]));
  else fs.copyFileSync(`${o.keyOf}.key`, `${name}.key`);
  const ext = o.ext === undefined ? 'subjectAltName=DNS:a.example\nbasicConstraints=CA:FALSE' : o.ext;
  fs.mkdirSync(`${name}.d`, { recursive: true });
  fs.writeFileSync(`${name}.d/index`, '');
  fs.writeFileSync(`${name}.d/attr`, 'unique_subject=no\n');
  fs.writeFileSync(`${name}.conf`, `[req]\ndistinguished_name=dn\n[dn]\n[ca]\ndefault_ca=c\n[c]\ndatabase=${name}.d/index\nserial=${name}.d/serial\n` +
    `new_certs_dir=${name}.d\npolicy=p\nunique_subject=no\nemail_in_dn=no\n[p]\ncommonName=optional\norganizationName=optional\n[x]\n${ext}\n`);
  fs.writeFileSync(`${name}.d/serial`, (++serial).toString(16).padStart(6, '0') + '\n');
  openssl('req', '-new', '-key', `${name}.key`, '-subj', o.subject || `/CN=${name}`, '-config', `${name}.conf`, '-out', `${name}.csr`);
  openssl('ca', '-batch', '-notext', '-config', `${name}.conf`, '-in', `${name}.csr`, '-out', `${name}.pem`, ...(o.by ? ['-cert', `${o.by}.pem`, '-keyfile', `${o.by}.key`] :
    ['-selfsign', '-keyfile', `${name}.key`]), '-startdate', o.from || day(-10), '-enddate', o.until || day(20), '-md', o.hash || 'sha256',
    ...(ext === '' ? [] : ['-extensions', 'x']), ...(o.sigopt ? ['-sigopt', 'rsa_padding_mode:pss'] : []));
  made[name] = true;
  return name;
}
const pem = (...names) => names.map(n => fs.readFileSync(`${n}.pem`, 'latin1')).join('');
const caExt = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign';
const leafExt = more => `subjectAltName=DNS:a.example\nbasicConstraints=CA:FALSE\n${more || ''}`;

make('root', { key: 'p384', ext: caExt, subject: '/O=Test/CN=Test Root' });
make('inter', { by: 'root', ext: caExt, subject: '/CN=Test Intermediate' });
make('other', { ext: caExt, subject: '/CN=Other Root' });
make('rsaroot', { key: 'rsa2048', ext: caExt, subject: '/CN=RSA Root' });

// [property, value, how it is made, what hsa says ('ok' or a part of its words), what curl does: 'same', or why it differs]
const rows = [];
const row = (property, value, o, want, curl = 'same') => rows.push({ property, value, want, curl, host: 'a.example', ca: 'root', ...o });
let count = 0;
const leaf = (o = {}, chain = ['inter']) => { const name = make(`leaf${++count}`, { by: 'inter', ...o }); return { key: `${name}.key`, cert: pem(name, ...chain), name }; };

row('chain', 'leaf, intermediate, root trusted', leaf(), 'ok');
row('chain', 'leaf directly below the root', leaf({ by: 'root' }, []), 'ok');
row('chain', 'with the root at its end', leaf({}, ['inter', 'root']), 'ok');
row('chain', 'intermediate missing', leaf({}, []), '"Test Intermediate", is not among the trusted roots: the server leaves out an intermediate');
row('chain', 'private root, not trusted', { ...leaf(), ca: 'other' }, '"Test Root", is not among the trusted roots: ');
row('chain', 'private root, sent too', { ...leaf({}, ['inter', 'root']), ca: 'other' }, 'leads to "Test Root", which is not among the trusted roots: a private CA\'s is given with --ca-file');
row('chain', 'an unrelated certificate at its end', leaf({}, ['inter', 'other']), 'ok');
row('chain', 'out of order', leaf({}, ['root', 'inter']), 'not in order', 'curl sorts a chain; a server that sends it so breaks RFC 5246, 7.4.2');
row('chain', 'self-signed leaf, not trusted', { ...leaf({ by: '' }, []) }, 'which is not among the trusted roots');
{ const l = leaf({ by: '' }, []); row('chain', 'self-signed leaf, trusted itself', { ...l, ca: l.name }, 'ok'); }
{ const l = leaf({ by: '', ext: 'subjectAltName=DNS:a.example\n' + caExt.replace('keyCertSign', 'digitalSignature,keyCertSign') }, []); row('chain', 'self-signed CA as server certificate, trusted itself', { ...l, ca: l.name }, 'ok'); }
row('chain', 'intermediate is no CA', (() => { make('noca', { by: 'root', ext: 'basicConstraints=CA:FALSE' }); return leaf({ by: 'noca' }, ['noca']); })(), 'no CA');
row('chain', 'intermediate without basicConstraints', (() => { make('nobc', { by: 'root', ext: 'keyUsage=keyCertSign' }); return leaf({ by: 'nobc' }, ['nobc']); })(), 'no CA');
row('chain', 'path length exceeded', (() => { make('pl0', { by: 'root', ext: 'basicConstraints=critical,CA:TRUE,pathlen:0' }); make('below', { by: 'pl0', ext: caExt }); return leaf({ by: 'below' }, ['below', 'pl0']); })(), 'no CA');
row('chain', 'CA whose key usage forbids signing', (() => { make('noksign', { by: 'root', ext: 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,digitalSignature' }); return leaf({ by: 'noksign' }, ['noksign']); })(), 'may not be used for this');
row('chain', 'signature broken', (() => { const l = leaf(), der = Buffer.from(l.cert.split('-----')[2], 'base64'); der[der.length - 1] ^= 1;
  return { ...l, cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n${pem('inter')}` }; })(), 'signature of a certificate is wrong');

row('dates', 'expired', leaf({ from: '20200101000000Z', until: '20210615000000Z' }), 'expired on 2021-06-15 (this machine\'s clock says 20');
row('dates', 'not yet valid', leaf({ from: day(5), until: day(10) }), 'is not valid before ' + new Date(Date.now() + 5 * 86400000).toISOString().slice(0, 10));
row('dates', 'beyond 2050 (GeneralizedTime)', leaf({ until: '20600101000000Z' }), 'ok');
row('dates', 'intermediate expired', (() => { make('oldinter', { by: 'root', ext: caExt, from: '20200101000000Z', until: '20210615000000Z' }); return leaf({ by: 'oldinter' }, ['oldinter']); })(), 'expired on 2021-06-15');
row('dates', 'root expired', (() => { make('oldroot', { ext: caExt, from: '20200101000000Z', until: '20210615000000Z' }); fs.writeFileSync('oldroots.pem', pem('oldroot', 'other')); return { ...leaf({ by: 'oldroot' }, []), ca: 'oldroots' }; })(), 'not among the trusted roots');

row('name', 'another host', { ...leaf(), host: 'b.example' }, 'for other hosts (a.example)');
row('name', 'upper case', leaf({ ext: 'subjectAltName=DNS:A.EXAMPLE' }), 'ok');
row('name', 'second of three', leaf({ ext: 'subjectAltName=DNS:x.example,DNS:a.example,IP:10.0.0.1' }), 'ok');
row('name', 'wildcard', { ...leaf({ ext: 'subjectAltName=DNS:*.a.example' }), host: 'b.a.example' }, 'ok');
row('name', 'wildcard, two labels', { ...leaf({ ext: 'subjectAltName=DNS:*.a.example' }), host: 'c.b.a.example' }, 'for other hosts');
row('name', 'wildcard for a top-level name', leaf({ ext: 'subjectAltName=DNS:*.example' }), 'for other hosts', 'curl takes a wildcard with one label behind it from some TLS libraries; RFC 9525 leaves it open');
row('name', 'wildcard in part of a label', { ...leaf({ ext: 'subjectAltName=DNS:b*.a.example' }), host: 'bc.a.example' }, 'for other hosts');
row('name', 'only a common name', leaf({ subject: '/CN=a.example', ext: 'basicConstraints=CA:FALSE' }), 'for other hosts (it names none)', 'curl still takes the common name where there is no subjectAltName; RFC 9525 does not');
row('name', 'common name, but other names', leaf({ subject: '/CN=a.example', ext: 'subjectAltName=DNS:b.example' }), 'for other hosts (b.example)');
row('name', '400 of them', leaf({ ext: 'subjectAltName=' + [...Array(400).keys()].map(k => `DNS:host${k}.example`).join(',') + ',DNS:a.example' }), 'ok');
row('name', 'critical', leaf({ ext: 'subjectAltName=critical,DNS:a.example' }), 'ok');
row('address', 'IPv4', { ...leaf({ ext: 'subjectAltName=IP:127.0.0.1' }), host: '127.0.0.1' }, 'ok');
row('address', 'another IPv4', { ...leaf({ ext: 'subjectAltName=IP:127.0.0.2' }), host: '127.0.0.1' }, 'for other hosts (127.0.0.2)');
row('address', 'IPv4 as a DNS name', { ...leaf({ ext: 'subjectAltName=DNS:127.0.0.1' }), host: '127.0.0.1' }, 'for other hosts (127.0.0.1)');
row('address', 'IPv6', { ...leaf({ ext: 'subjectAltName=IP:::1' }), host: '::1' }, 'ok');
row('address', 'another IPv6', { ...leaf({ ext: 'subjectAltName=IP:::2' }), host: '::1' }, 'for other hosts');
row('address', 'a host, no address', { ...leaf(), host: '127.0.0.1' }, 'for other hosts (a.example)');

row('usage', 'extended: serverAuth', leaf({ ext: leafExt('extendedKeyUsage=serverAuth') }), 'ok');
row('usage', 'extended: clientAuth, serverAuth', leaf({ ext: leafExt('extendedKeyUsage=clientAuth,serverAuth') }), 'ok');
row('usage', 'extended: clientAuth', leaf({ ext: leafExt('extendedKeyUsage=clientAuth') }), 'may not be used for this');
row('usage', 'extended: codeSigning, critical', leaf({ ext: leafExt('extendedKeyUsage=critical,codeSigning') }), 'critical extension');
row('usage', 'extended: serverAuth, critical', leaf({ ext: leafExt('extendedKeyUsage=critical,serverAuth') }), 'critical extension', 'BearSSL does not know the extension, and refuses it where it is critical');
row('usage', 'extended: any', leaf({ ext: leafExt('extendedKeyUsage=anyExtendedKeyUsage') }), 'may not be used for this');
row('usage', 'extended: clientAuth on the intermediate', (() => { make('clientca', { by: 'root', ext: caExt + '\nextendedKeyUsage=clientAuth' }); return leaf({ by: 'clientca' }, ['clientca']); })(), 'may not be used for this');
row('usage', 'key: digitalSignature', leaf({ ext: leafExt('keyUsage=critical,digitalSignature') }), 'ok');
row('usage', 'key: keyEncipherment', leaf({ key: 'rsa2048', ext: leafExt('keyUsage=critical,keyEncipherment') }), 'may not be used for this', 'curl does not look whether the key may sign');
row('usage', 'key: keyAgreement', leaf({ ext: leafExt('keyUsage=critical,keyAgreement') }), 'fatal');

row('key', 'RSA 2048', leaf({ key: 'rsa2048' }), 'ok');
row('key', 'RSA 4096', leaf({ key: 'rsa4096' }), 'ok');
row('key', 'RSA 1024', { ...leaf({ key: 'rsa1024' }), weak: true }, 'key that is too weak');
row('key', 'RSA 2040', { ...leaf({ key: 'rsa2040' }), weak: true }, 'key that is too weak', 'curl counts strength in steps');
row('key', 'RSA 5120', leaf({ key: 'rsa5120' }), 'too large', 'BearSSL takes RSA up to 4096 bits');
row('key', 'P-384', leaf({ key: 'p384' }), 'ok');
row('key', 'P-521', leaf({ key: 'p521' }), 'ok');
row('key', 'secp256k1', { ...leaf({ key: 'k256' }), weak: true }, 'fatal');
row('key', 'Ed25519', leaf({ key: 'ed' }), 'fatal', 'BearSSL has no Ed25519');
row('key', 'RSA-PSS', leaf({ key: 'pss' }), 'fatal', 'BearSSL has no RSA-PSS');
row('key', 'RSA 1024 of the intermediate', (() => { make('weakca', { by: 'root', key: 'rsa1024', ext: caExt }); return { ...leaf({ by: 'weakca' }, ['weakca']), weak: true }; })(), 'key that is too weak');
row('signature', 'SHA-384', leaf({ hash: 'sha384' }), 'ok');
row('signature', 'SHA-512', leaf({ hash: 'sha512' }), 'ok');
row('signature', 'SHA-1', { ...leaf({ hash: 'sha1' }), weak: true }, 'not accepted (SHA-1');
row('signature', 'SHA-224', { ...leaf({ hash: 'sha224' }), weak: true }, 'not accepted', 'curl takes SHA-224 (112 bits); no public CA uses it');
row('signature', 'RSA', { ...leaf({ by: 'rsaroot' }, []), ca: 'rsaroot' }, 'ok');
row('signature', 'RSA-PSS', { ...leaf({ by: 'rsaroot', sigopt: true }, []), ca: 'rsaroot' }, 'not accepted', 'BearSSL has no RSA-PSS');

row('extension', 'none at all', leaf({ ext: '' }), 'for other hosts (it names none)', 'same');
row('extension', 'unknown, critical', leaf({ ext: leafExt('1.2.3.4=critical,ASN1:UTF8String:x') }), 'critical extension');
row('extension', 'unknown, not critical', leaf({ ext: leafExt('1.2.3.4=ASN1:UTF8String:x') }), 'ok');
row('extension', 'name constraints that fit, critical', (() => { make('nc1', { by: 'root', ext: caExt + '\nnameConstraints=critical,permitted;DNS:example' }); return leaf({ by: 'nc1' }, ['nc1']); })(), 'critical extension', 'BearSSL does not know name constraints, and refuses critical ones');
row('extension', 'name constraints that do not fit, critical', (() => { make('nc2', { by: 'root', ext: caExt + '\nnameConstraints=critical,permitted;DNS:other' }); return leaf({ by: 'nc2' }, ['nc2']); })(), 'critical extension');
row('extension', 'name constraints that do not fit, not critical', (() => { make('nc3', { by: 'root', ext: caExt + '\nnameConstraints=permitted;DNS:other' }); return leaf({ by: 'nc3' }, ['nc3']); })(), 'name constraints');
row('extension', 'name constraints that fit, not critical', (() => { make('nc4', { by: 'root', ext: caExt + '\nnameConstraints=permitted;DNS:example' }); return leaf({ by: 'nc4' }, ['nc4']); })(), 'name constraints', 'hsa does not check name constraints, and so trusts no CA that has them');
row('extension', 'name constraints of the root', (() => { make('ncroot', { ext: caExt + '\nnameConstraints=permitted;DNS:other' }); fs.writeFileSync('ncroots.pem', pem('ncroot', 'other')); return { ...leaf({ by: 'ncroot' }, []), ca: 'ncroots' }; })(), 'not among the trusted roots');
row('extension', 'certificate policies', leaf({ ext: leafExt('certificatePolicies=2.23.140.1.2.1') }), 'ok');

const good = leaf({ ext: 'subjectAltName=DNS:a.example' }), goodRsa = leaf({ key: 'rsa2048' });
row('server', 'only TLS 1.3', { ...good, options: { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } }, 'refuses TLS 1.2, and hsa speaks nothing newer', 'BearSSL has no TLS 1.3');
row('server', 'only TLS 1.1', { ...goodRsa, options: { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } }, 'fatal');
row('server', 'only CBC suites', { ...goodRsa, options: { ciphers: 'ECDHE-RSA-AES128-SHA256' } }, 'none of hsa\'s ciphers', 'only AEAD suites are offered');
row('server', 'only static RSA', { ...goodRsa, options: { ciphers: 'AES128-GCM-SHA256' } }, 'none of hsa\'s ciphers', 'only suites with forward secrecy are offered');
row('server', 'ECDHE-RSA-AES256-GCM-SHA384', { ...goodRsa, options: { ciphers: 'ECDHE-RSA-AES256-GCM-SHA384' } }, 'ok');
row('server', 'ECDHE-RSA-CHACHA20-POLY1305', { ...goodRsa, options: { ciphers: 'ECDHE-RSA-CHACHA20-POLY1305' } }, 'ok');
row('server', 'ECDHE-ECDSA-AES128-GCM-SHA256', { ...good, options: { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' } }, 'ok');
row('server', 'ECDHE-ECDSA-CHACHA20-POLY1305', { ...good, options: { ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' } }, 'ok');
row('server', 'asks for a client certificate', { ...good, options: { requestCert: true, rejectUnauthorized: false } }, 'ok');
row('server', 'insists on a client certificate', { ...good, options: { requestCert: true, rejectUnauthorized: true } }, '*');
row('server', 'plain HTTP', { ...good, plain: 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n' }, 'is an http:// URL meant?');
row('server', 'another protocol', { ...good, plain: 'SSH-2.0-x\r\n' }, 'fatal');
row('server', 'closes in the handshake', { ...good, plain: '' }, 'fault');
row('server', 'resets the connection at once', { ...good, plain: null }, 'fault');

function serve(r) {
  const answer = s => s.once('data', () => s.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"output":[]}'));
  const weak = r.weak ? { ciphers: 'DEFAULT:@SECLEVEL=0' } : {};
  const server = r.plain !== undefined ? net.createServer(s => { s.on('error', () => {}); r.plain === null ? s.resetAndDestroy() : s.once('data', () => s.end(r.plain)); }) :
    tls.createServer({ key: fs.readFileSync(r.key), cert: r.cert, maxVersion: 'TLSv1.2', ...weak, ...r.options }, s => { s.on('error', () => {}); answer(s); });
  server.on('tlsClientError', () => {});
  return new Promise((resolve, reject) => { server.on('error', reject); server.listen(0, r.host === '::1' ? '::1' : '127.0.0.1', () => resolve(server)); });
}

// A proxy that takes every name for this machine: so any name can be tried.
const proxy = net.createServer(s => {
  s.on('error', () => {});
  s.once('data', d => {
    const m = /^CONNECT (\[[^\]]*\]|[^: ]*):(\d+) /.exec(d), up = net.connect(m[2], m[1] === '[::1]' ? '::1' : '127.0.0.1', () => { s.write('HTTP/1.1 200 OK\r\n\r\n'); s.pipe(up); up.pipe(s); });
    up.on('error', () => s.destroy());
    s.on('close', () => up.destroy());
    up.on('close', () => s.end());
  });
});

// How README names the rows in which hsa and curl differ.
const readme = fs.readFileSync(`${__dirname}/../README.md`, 'utf8').replace(/\s+/g, ' ');
const names = { 'out of order': 'chains out of order', 'wildcard for a top-level name': 'a wildcard right below a top-level name', 'only a common name': 'a name that stands only in the subject',
  'extended: serverAuth, critical': 'a critical extended usage', 'key: keyEncipherment': 'keys that may not sign', 'RSA 2040': 'RSA below 2048', 'RSA 5120': 'above 4096 bits', 'SHA-224': 'SHA-224', Ed25519: 'Ed25519',
  'RSA-PSS': 'RSA-PSS', 'name constraints that fit, critical': 'name constraints', 'name constraints that fit, not critical': 'name constraints', 'only TLS 1.3': 'only TLS 1.3', 'only CBC suites': 'only CBC suites',
  'only static RSA': 'only static RSA' };

const run = (file, args) => new Promise(r => execFile(file, args, { timeout: 30000 }, (error, out, err) => r({ code: error ? error.code || error.signal : 0, out: out.trim(), err })));

proxy.listen(0, '127.0.0.1', async () => {
  const via = `http://127.0.0.1:${proxy.address().port}`;
  let stricter = 0, laxer = 0;
  for (const r of rows) {
    const name = `certificate, ${r.property}: ${r.value}`;
    let server;
    try { server = await serve(r); } catch (e) { console.log(`skipped - ${name}: node cannot serve it (${e.code || e.message})`); continue; }
    const url = `https://${r.host.includes(':') ? `[${r.host}]` : r.host}:${server.address().port}/`, ca = `${dir}/${r.ca}.pem`;
    const ours = await run(get, [url, '--ca', ca, '--proxy', via]);
    const curl = await run('curl', ['-sS', '--proxy', via, '--noproxy', '', '--cacert', ca, '-o', '/dev/null', url]);
    server.close();
    const accepted = ours.out.startsWith('ok: 200'), curls = curl.code === 0;
    const well = r.want === 'ok' ? accepted : r.want === '*' ? true : !accepted && ours.out.includes(r.want);
    const agree = r.want === '*' || (r.curl === 'same' ? accepted === curls : true);
    if (r.curl !== 'same' && accepted !== curls) accepted ? laxer++ : stricter++;
    const said = accepted === curls || (names[r.value] !== undefined && readme.includes(names[r.value]));
    if (!well) console.log(`FAIL - ${name}: got ${ours.out} ${ours.err}, wanted ${r.want}`);
    else if (!said) console.log(`FAIL - ${name}: README does not say that curl differs`);
    else if (!agree) console.log(`FAIL - ${name}: curl ${curls ? 'accepts' : 'refuses'} it (${curl.err.trim()}), hsa says ${ours.out}`);
    else console.log(`ok - ${name} (curl ${accepted === curls ? 'agrees' : 'differs: ' + r.curl})`);
  }
  console.log(stricter >= 1 && laxer === 0 ? `ok - compared with curl: stricter in ${stricter}, laxer in ${laxer} of ${rows.length} rows` : `FAIL - compared with curl: laxer in ${laxer} rows`);
  process.exit(0);
});
