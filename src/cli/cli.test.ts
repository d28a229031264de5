import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { syncline } from '../../test/support/command-line.ts';
import { VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';
import { waysOf } from './ways.ts';

test('without a command, and with help, the commands are shown', async () => {
  const [none, help, version] = await Promise.all([syncline([]), syncline(['help']), syncline(['--version'])]);
  assert.equal(none.code, 0);
  for (const command of ['start', 'keys', 'demo', 'backup', 'restore'])
    assert.match(none.stdout, new RegExp(`^  syncline ${command}\\b`, 'm'));
  assert.deepEqual(help, none);
  assert.equal(version.stdout, `${VERSION}\n`);
});

test('every command tells its options', async () => {
  for (const command of ['start', 'keys', 'demo', 'backup', 'restore']) {
    const { code, stdout } = await syncline([command, '--help']);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^To .*:\n  syncline ${command}`));
  }
});

test('wrong usage is exit code 2, names the fault and shows how it is done', async () => {
  const fails = async (args: string[], fault: string, usage: string): Promise<void> => {
    const { code, stdout, stderr } = await syncline(args, { SYNCLINE_DATA_DIR: '/nowhere/to/be/made' });
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.ok(stderr.startsWith(`${fault}\n`), stderr);
    assert.ok(stderr.includes(`  syncline ${usage}`), stderr);
  };
  await Promise.all([
    fails(['stat'], 'There is no command "stat".', 'start'),
    fails(['__proto__'], 'There is no command "__proto__".', 'start'),
    fails(['keys'], 'Say what to do with keys: create, list, show, rotate, revoke.', 'keys create --name'),
    fails(['keys', 'delete'], '"delete" is nothing that can be done with keys.', 'keys revoke <id>'),
    fails(['keys', 'create', '--name', 'x'], '--scopes is missing.', 'keys create --name'),
    fails(['keys', 'create', '--scope', 'admin'], "Unknown option '--scope'.", 'keys create --name'),
    fails(['keys', 'rotate'], 'The id of the key is missing.', 'keys rotate <id>'),
    fails(['demo', '--orders', 'many'], '--orders must be a whole number from 1 to 1,000,000, not "many".', 'demo [--orders'),
    fails(['backup'], 'The file is missing.', 'backup <file>'),
    fails(['restore', 'a', 'b'], '"b" is one argument too many.', 'restore <file>'),
  ]);
});

test('a setting that is wrong is told before anything is done', async () => {
  const { code, stderr } = await syncline(['keys', 'list'], { PORT: 'eighty', SYNCLINE_URI: 'http://x' });
  assert.equal(code, 2);
  assert.match(stderr, /PORT must be a whole number.*\n.*SYNCLINE_URI is not a setting/);
});

test('every action is told apart, with an example that fits it', () => {
  for (const [name, command] of Object.entries(COMMANDS)) {
    const { ways } = waysOf(name, command);
    const actions = [...new Set(ways.map(({ action }) => action ?? name))];
    assert.deepEqual(Object.keys(command.examples).toSorted(), actions.toSorted(), name);
    for (const [action, example] of Object.entries(command.examples)) {
      const texts = ways.filter((way) => (way.action ?? name) === action).map(({ text }) => text);
      if (action !== 'completion')
        assert.ok(example.startsWith(action === name ? `syncline ${name}` : `syncline ${name} ${action}`), example);
      for (const [option] of example.matchAll(/(?<= )--?[a-z][a-z-]*/g))
        assert.ok(
          texts.some((text) => new RegExp(`${option}(?![a-z-])`).test(text)),
          `${example}: ${option} is not in ${texts.join(' | ')}`,
        );
    }
  }
});

test('an action tells its own options, and an example', async () => {
  const { stdout } = await syncline(['keys', 'rotate', '--help']);
  assert.match(stdout, /^To create and manage the keys.*:\n {2}syncline keys rotate <id>.*\n\nFor example:\n {2}syncline keys rotate key_/);
  assert.doesNotMatch(stdout, /keys create/);
});

test('with --json what goes wrong is JSON, as the API tells it', async () => {
  const environment = { SYNCLINE_URL: 'http://127.0.0.1:9', SYNCLINE_KEY: 'x' };
  const failures: [string[], number, string, RegExp][] = [
    [['keys', 'list', '--jso', '--json'], 2, 'USAGE', /Unknown option/],
    [['keys', 'list', '--json'], 1, 'UNREACHABLE', /cannot be reached at http:\/\/127.0.0.1:9 /],
    [['sources', 'add', '--name', 'x', '--type', 'hub', '--keep', '--no-check', '--json'], 2, 'USAGE', /exclude each other/],
    [['orders', 'ship', 'ord_1', '--line', 'two', '--json'], 2, 'USAGE', /--line is written as 2 or 2=3/],
  ];
  await Promise.all(
    failures.map(async ([args, exitCode, code, words]) => {
      const { code: given, stdout, stderr } = await syncline(args, environment);
      assert.deepEqual([given, stdout], [exitCode, ''], stderr);
      const { success, error } = JSON.parse(stderr) as { success: boolean; error: { code: string; message: string; details: object } };
      assert.deepEqual([success, error.code, typeof error.details], [false, code, 'object']);
      assert.match(error.message, words);
    }),
  );
});

test('a shell completes commands, actions and options', async () => {
  const { stdout } = await syncline(['completion', 'bash']);
  const lines = [
    'syncline ke',
    'syncline keys r',
    'syncline keys create --s',
    'syncline run nightly --f',
    'syncline orders ship x --tr',
    'syncline completion ',
  ];
  const asked = lines.map(
    (line) =>
      `COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); COMPREPLY=(); _syncline; echo "\${COMPREPLY[*]}"`,
  );
  const completed = spawnSync('bash', ['-c', `${stdout}\n${asked.join('\n')}`], { encoding: 'utf8' });
  assert.equal(completed.stderr, '');
  assert.deepEqual(completed.stdout.trim().split('\n'), [
    'keys',
    'rotate revoke',
    '--scopes',
    '--full',
    '--tracking --tracking-url',
    'bash zsh fish --help',
  ]);
  const [zsh, fish, other] = await Promise.all(['zsh', 'fish', 'tcsh'].map((shell) => syncline(['completion', shell])));
  assert.match(zsh?.stdout ?? '', /'keys rotate'\|'keys rotate '\*\) choices=\(--overlap-seconds --json --help\)/);
  assert.match(fish?.stdout ?? '', /__syncline_is "keys rotate" true' -a '--overlap-seconds --json --help'/);
  assert.equal(other?.code, 2);
});
