// What tests/log.sh needs of JSON:
//   log.js validate LOG ...     each line against tests/log.schema.json, and what no schema says
//   log.js hostile LOG          the same log with escape sequences in every string
//   log.js clean FILE ...       whether a terminal would take it as nothing but text
//   log.js mutate LOG DIR N     N copies in DIR, each damaged somewhere
'use strict';
const fs = require('fs');
const path = require('path');
const [action, ...files] = process.argv.slice(2);

const fail = (why) => {
  console.log(why);
  process.exitCode = 1;
};

function validate(file) {
  const Ajv = require('ajv');
  const schema = JSON.parse(fs.readFileSync(path.join(__dirname, 'log.schema.json')));
  const valid = new Ajv({ allErrors: false }).compile(schema);
  const one = Object.fromEntries(Object.keys(schema.definitions).map((name) => [name, new Ajv().compile({ ...schema, oneOf: undefined,
    $ref: `#/definitions/${name}` })]));
  const text = fs.readFileSync(file, 'utf8');
  if (!text.endsWith('\n')) fail(`${file}: the last line is not whole`);
  const events = text.split('\n').slice(0, -1).map((line, k) => {
    const event = JSON.parse(line);
    if (!valid(event)) {
      const which = one[event.event];
      if (which) which(event);
      fail(`${file}:${k + 1}: ${event.event}: ${JSON.stringify((which || valid).errors).slice(0, 300)}`);
    }
    return event;
  });
  const names = events.map((e) => e.event);
  if (names[0] !== 'run_started') fail(`${file}: does not begin with run_started`);
  if (names[names.length - 1] !== 'run_ended') fail(`${file}: does not end with run_ended`);
  for (const only of ['run_started', 'baseline', 'diff', 'run_ended'])
    if (names.filter((n) => n === only).length > 1) fail(`${file}: ${only} stands there twice`);
  for (let k = 1; k < events.length; k++) if (events[k].time < events[k - 1].time) fail(`${file}:${k + 1}: time goes back`);
  const numbers = (name) => events.filter((e) => e.event === name).map((e) => e.number).join();
  if (!(numbers('request') + ',').startsWith(numbers('response') && numbers('response') + ','))
    fail(`${file}: responses ${numbers('response')} to requests ${numbers('request')}`);
  const calls = events.filter((e) => e.event === 'response').reduce((sum, e) => sum + e.calls, 0);
  const commands = names.filter((n) => n === 'command').length;
  if (names.includes('check') && calls !== commands) fail(`${file}: ${calls} calls, ${commands} commands`);
}

const evil = '\u001b[31mX\u001b]0;title\u0007\u009b31m\u0090q\u009c\u202e\u2066\u200f\r\b\u0000\u007f\u0085\ud800%s%n' + 'w'.repeat(3000) + '\n\u001b[2J';
const poison = (v, key) => typeof v === 'string' ? (key === 'event' ? v : evil) : Array.isArray(v) ? v.map((x) => poison(x)) :
  v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, poison(x, k)])) :
    typeof v === 'number' ? [v, 1e300, -1, 0.5][Math.floor(Math.abs(v)) % 4] : v;

// Printable text, line ends, tabs; no control, no bidirectional override, valid UTF-8.
function clean(file) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(file));
  // eslint-disable-next-line no-control-regex
  const bad = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.exec(text);
  if (bad) fail(`${file}: U+${bad[0].charCodeAt(0).toString(16).padStart(4, '0')} at ${bad.index}`);
}

function mutate(file, dir, count) {
  const log = fs.readFileSync(file);
  let seed = 1; // the same damage every time
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let k = 0; k < count; k++) {
    let copy = Buffer.from(log);
    for (let times = random(4) + 1; times > 0; times--) {
      const at = random(copy.length);
      const kind = random(4);
      if (kind === 0) copy[at] = random(256);
      else if (kind === 1) copy = Buffer.concat([copy.subarray(0, at), copy.subarray(at + random(200))]);
      else if (kind === 2) copy = Buffer.concat([copy.subarray(0, at), copy.subarray(Math.max(0, at - random(200)))]);
      else copy = copy.subarray(0, at || 1);
    }
    fs.writeFileSync(path.join(dir, `${k}`), copy);
  }
}

if (action === 'validate') files.forEach(validate);
if (action === 'clean') files.forEach(clean);
if (action === 'mutate') mutate(files[0], files[1], Number(files[2]));
if (action === 'hostile')
  process.stdout.write(fs.readFileSync(files[0], 'utf8').split('\n').slice(0, -1).map((line) => JSON.stringify(poison(JSON.parse(line))) + '\n').join(''));
