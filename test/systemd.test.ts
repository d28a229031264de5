// The unit for systemd agrees with the program, the package and the documents. Neither systemd nor root is needed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { readConfig, SETTINGS } from '../src/config.ts';
import { syncline } from './support/command-line.ts';

const ROOT = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Settings = Record<string, string>;

/** `NAME=value` on each line, as both kinds of file have it; with what is commented out, when it looks the same. */
function assignmentsOf(text: string, { withExamples = false } = {}): [string, string][] {
  const pattern = withExamples ? /^#?([A-Z][A-Za-z_]*)=(.*)$/gm : /^([A-Z][A-Za-z_]*)=(.*)$/gm;
  return [...text.matchAll(pattern)].map(([, name = '', value = '']) => [name, value]);
}

describe('the unit for systemd', () => {
  const unit = read('deploy/systemd/syncline.service');
  const directives = assignmentsOf(unit);
  const valuesOf = (name: string): string[] => directives.filter(([given]) => given === name).map(([, value]) => value);
  const valueOf = (name: string): string => {
    const [value, ...others] = valuesOf(name);
    assert.ok(value !== undefined && others.length === 0, `${name} is given once`);
    return value;
  };
  const environment: Settings = Object.fromEntries(valuesOf('Environment').map((value) => value.split('=') as [string, string]));

  test('starts the program where the package has it, with the flag that the image has', () => {
    const { name, bin } = JSON.parse(read('package.json')) as { name: string; bin: Settings };
    const [, flag] = /^ENTRYPOINT \["node", "([^"]+)"/m.exec(read('Dockerfile')) ?? [];
    const program = `/opt/syncline/node_modules/${name}/${bin['syncline']}`;
    assert.equal(valueOf('ExecStart'), `/usr/bin/node ${flag} ${program} start`);
    assert.match(read('docs/operations.md'), /npm install --prefix \/opt\/syncline /);
  });

  test('sets what exists, and keeps data and compiled code in the folders that it may write to', () => {
    const ours = Object.keys(environment).filter((name) => !name.startsWith('NODE_'));
    assert.deepEqual(
      ours.filter((name) => !Object.hasOwn(SETTINGS, name)),
      [],
    );
    assert.equal(environment['SYNCLINE_DATA_DIR'], `/var/lib/${valueOf('StateDirectory')}`);
    assert.equal(environment['NODE_COMPILE_CACHE'], `/var/cache/${valueOf('CacheDirectory')}`);
    assert.deepEqual([valueOf('StateDirectoryMode'), valueOf('CacheDirectoryMode'), valueOf('UMask')], ['0700', '0700', '0077']);
  });

  test('runs as a user of its own, whom sysusers makes', () => {
    const [, user, home] = /^u (\S+) - ".*" (\S+)$/m.exec(read('deploy/systemd/sysusers.conf')) ?? [];
    assert.deepEqual([valueOf('User'), valueOf('Group'), environment['SYNCLINE_DATA_DIR']], [user, user, home]);
  });

  test('gives it more time to stop than it takes, and starts it again', () => {
    const [, limit = ''] = /^const SHUTDOWN_LIMIT = ([\d_]+);$/m.exec(read('src/cli/start.ts')) ?? [];
    const [, exit = ''] = /^const EXIT_LIMIT = ([\d_]+);$/m.exec(read('src/cli/start.ts')) ?? [];
    const longest = (Number(limit.replace('_', '')) + Number(exit.replace('_', ''))) / 1000;
    assert.ok(longest >= 25 && Number(valueOf('TimeoutStopSec')) > longest);
    assert.deepEqual([valueOf('Restart'), valueOf('KillMode'), valueOf('StartLimitIntervalSec')], ['always', 'mixed', '0']);
    assert.ok((Number(valueOf('LimitNOFILE')) * 3) / 4 > readConfig({}).maxConnections);
  });

  test('does not start it again and again with settings that are wrong', async () => {
    const { code, stderr } = await syncline(['start'], { PORT: 'eighty' });
    assert.match(stderr, /PORT must be a whole number/);
    assert.equal(valueOf('RestartPreventExitStatus'), String(code));
  });

  test('lets it do little, and all that Node needs', () => {
    const restrictions = directives.filter(
      ([name]) => /^(Protect|Private|NoNew|Restrict(?!Addr)|Lock|RemoveIPC)/.test(name) && name !== 'RestartPreventExitStatus',
    );
    const kept = new Set(['ProtectSystem=strict', 'ProtectProc=invisible']);
    for (const [name, value] of restrictions) assert.ok(value === 'yes' || kept.has(`${name}=${value}`), `${name}=${value}`);
    for (const name of [
      'ProtectSystem',
      'ProtectHome',
      'PrivateTmp',
      'PrivateDevices',
      'NoNewPrivileges',
      'RestrictNamespaces',
      'RestrictSUIDSGID',
    ])
      assert.notEqual(valueOf(name), '');
    assert.equal(valueOf('CapabilityBoundingSet'), '');
    assert.deepEqual(valuesOf('MemoryDenyWriteExecute'), [], 'V8 compiles at run time');
    assert.deepEqual(valuesOf('SystemCallFilter'), ['@system-service', '~@privileged', '@chown'], 'threads have priorities, files owners');
    assert.ok(['AF_INET', 'AF_INET6', 'AF_UNIX'].every((family) => valueOf('RestrictAddressFamilies').split(' ').includes(family)));
  });

  test('keeps secrets out of the journal and out of the unit', () => {
    assert.equal(valueOf('StandardOutput'), 'null', 'the greeting shows the admin key');
    const file = valueOf('EnvironmentFile').replace(/^-/, '');
    assert.match(read('docs/operations.md'), new RegExp(`install -D -m 600 deploy/systemd/syncline\\.env ${RegExp.escape(file)}\n`));
    assert.doesNotMatch(unit, /SYNCLINE_\w*KEY=|DATABASE_URL=/);
  });

  test('has an example of its settings, which are right', () => {
    const example = read('deploy/systemd/syncline.env');
    const all = assignmentsOf(example, { withExamples: true });
    assert.ok(all.length >= 6);
    assert.deepEqual(
      all.map(([name]) => name).filter((name) => !Object.hasOwn(SETTINGS, name)),
      [],
    );
    readConfig(Object.fromEntries(all));
    assert.deepEqual(
      assignmentsOf(example).map(([name, value]) => [name, value, SETTINGS[name as keyof typeof SETTINGS].fallback]),
      [
        ['HOST', '127.0.0.1', '127.0.0.1'],
        ['PORT', '8080', '8080'],
      ],
    );
  });
});
