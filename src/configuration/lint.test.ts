import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GOOD, mutations } from '../../test/support/configuration/mutated.ts';
import { randomFrom } from '../sample/random.ts';
import { documentFaults } from './faults.ts';
import { parseConfigFiles } from './files.ts';
import { lint, lintWarnings } from './lint.ts';

const faultsOf = async (...texts: string[]) => lint(await parseConfigFiles(texts.map((text, at) => ({ file: `${at}.yaml`, text }))), true);
const told = async (...texts: string[]) =>
  (await faultsOf(...texts)).map(({ file, line, field, reason }) => `${file}:${line} ${field} ${reason}`);

test('a good file has no faults, and may be several', async () => {
  assert.deepEqual(await told(GOOD), []);
  const at = GOOD.indexOf('webhooks:');
  assert.deepEqual(await told(GOOD.slice(0, at), GOOD.slice(at)), []);
});

test('faults are named with their line, and what may have been meant', async () => {
  assert.deepEqual(await told('sources:\n  a:\n    type: sqlit\n    config: { path: x }\n'), [
    '0.yaml:3 sources.a.type is no connector; was sqlite meant?',
  ]);
  assert.deepEqual(await told('sorces: {}\n'), ['0.yaml:1 sorces is not known here; was sources meant?']);
  assert.deepEqual(await told('sources:\n  a:\n    type: sqlite\n    config:\n      pth: x\n'), [
    '0.yaml:4 sources.a.config.path is mandatory',
    '0.yaml:5 sources.a.config.pth is not known here; was path meant?',
  ]);
  assert.deepEqual(await told('keys:\n  a: { scopes: [orders:reed] }\n'), [
    '0.yaml:2 keys.a.scopes[0] must be one of datasync:read, datasync:write, orders:read, orders:write, products:read, products:write, webhooks, assistant:write, admin; was orders:read meant?',
  ]);
});

test('what two files say is named with both places', async () => {
  assert.deepEqual(await told('keys:\n  a: { scopes: [admin] }\n', '# again\nkeys:\n  a: { scopes: [admin] }\n'), [
    '1.yaml:3 keys.a is there twice: also in 0.yaml:2',
  ]);
});

test('a synchronization that would run after itself is a circle', async () => {
  const sync = (name: string, after: string): string =>
    `  ${name}:\n    source: s\n    target: s\n    streams: [t]\n    schedule: { type: after, sync: ${after} }\n`;
  const found = await told(`sources:\n  s: { type: sqlite, config: { path: x } }\nsyncs:\n${sync('a', 'b')}${sync('b', 'a')}`);
  assert.deepEqual(found, [
    '0.yaml:8 syncs.a.schedule.sync would make a circle: "a" → "b" → "a"',
    '0.yaml:13 syncs.b.schedule.sync would make a circle: "b" → "a" → "b"',
  ]);
});

test('chains and circles of thousands are looked at without holding up the service', () => {
  const chain = (last: object) => {
    const after = (sync: string) => ({ source: 'a', target: 'b', streams: ['s'], schedule: { type: 'after', sync } });
    const entries = Array.from({ length: 5000 }, (_, at) => [`s${at}`, after(`s${at + 1}`)] as const);
    return { version: 1, syncs: { ...Object.fromEntries(entries), s5000: last } };
  };
  const end = { source: 'a', target: 'b', streams: ['s'] };
  const began = performance.now();
  assert.deepEqual(documentFaults(chain(end)), []);
  const faults = documentFaults(chain({ ...end, schedule: { type: 'after', sync: 's0' } }));
  assert.equal(faults.length, 5001);
  assert.match(faults[0]?.reason ?? '', /^would make a circle: "s0" → "s5000" → .* → "…" → "s0"$/);
  // It took minutes when each was followed to its end.
  assert.ok(performance.now() - began < 20_000);
});

test('a name that would be lost without a word is refused, wherever it stands', async () => {
  const text = 'sources:\n  __proto__:\n    type: hub\n    config: {}\n  a:\n    type: hub\n    config: {__proto__: 1}\n';
  assert.deepEqual(await told(text), ['0.yaml:2  "__proto__" cannot be a name', '0.yaml:7  "__proto__" cannot be a name']);
});

test('a file that is nested too deeply is refused in words', async () => {
  for (const bracket of ['[', '{a: ']) assert.match((await told(`sources: ${bracket.repeat(20_000)}`)).join(), /nested too deeply/);
});

test('aliases that grow without end are refused', async () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...'bcdefgh'.split('').map(
      (name, at) =>
        `${name}: &${name} [${Array(10)
          .fill(`*${'abcdefgh'.charAt(at)}`)
          .join(', ')}]`,
    ),
  ];
  assert.match((await told(bomb.join('\n'))).join(), /[Ee]xcessive alias count/);
});

test('of 200 files with a fault each, every fault is named with its line', async () => {
  const chance = randomFrom(process.env['TEST_SEED'] ?? 'mutated');
  for (const { text, line, what } of mutations(200, () => chance.next())) {
    // What only the source knows is named by the service.
    if (what === 'a stream that there is not') continue;
    const lines = (await faultsOf(text)).map((fault) => fault.line);
    const isNear = lines.includes(line) || (/bracket|twice|tab/.test(what) && lines.some((found) => found === line + 1));
    assert.ok(isNear, `${what} in line ${line}, and faults are in ${lines.join(', ') || 'no line'}:\n${text.split('\n')[line - 1]}`);
  }
});

test('synchronizations of the files that write one table are no fault, but are told of', async () => {
  const text = `sources:
  a: { type: sqlite, config: { path: a.db } }
  b: { type: sqlite, config: { path: b.db } }
syncs:
  one: { source: a, target: b, streams: [people, { source: towns, target: places }] }
  two: { source: a, target: b, streams: [{ source: cities, target: places }] }
  three: { source: a, target: b, streams: [people] }
  back: { source: b, target: a, streams: [people] }
`;
  assert.deepEqual(await told(text), []);
  const warnings = lintWarnings(await parseConfigFiles([{ file: 'a.yaml', text }]));
  assert.deepEqual(
    warnings.map((warning) => warning.split(':')[0]),
    ['"one" and "two" both write "places"', '"one" and "three" both write "people"'],
  );
});
