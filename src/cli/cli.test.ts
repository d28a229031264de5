import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syncline } from '../../test/support/command-line.ts';
import { VERSION } from '../version.ts';

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
    fails(['keys'], 'Say what to do with keys: create, list, rotate, revoke.', 'keys create --name'),
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
