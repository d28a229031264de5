// As in conformance.test.ts: each of these breaks the log or the applier of the fake in one way, and the suite has to notice.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Applier, ApplyRequest, Change, ChangeLog, ChangeSet, Following, TargetChange } from './changes.ts';
import { casesFor } from './conformance.ts';
import { applyCases } from './conformance/apply.ts';
import { logCases } from './conformance/log.ts';
import { logFaultCases } from './conformance/log-faults.ts';
import { milestoneCases } from './conformance/milestones.ts';
import { harness } from './fake/harness.ts';
import { testNoticed } from './fake/noticed.ts';
import { isWhole } from '../../test/support/whole.ts';

interface Mutant {
  readonly name: string;
  readonly log?: (log: ChangeLog) => Partial<ChangeLog>;
  readonly request?: (request: ApplyRequest) => ApplyRequest;
  readonly applier?: (applier: Applier) => Partial<Applier>;
}

/** A log that tells other sets. */
function sets(change: (set: ChangeSet, at: number) => ChangeSet | undefined): NonNullable<Mutant['log']> {
  return (log) => ({
    follow: (request, after, milestones) => {
      const following = log.follow(request, after, milestones);
      async function* changed(): AsyncGenerator<ChangeSet> {
        let at = 0;
        for await (const set of following) {
          const other = change(set, at++);
          if (other) yield other;
        }
      }
      return { ...following, [Symbol.asyncIterator]: changed } satisfies Following;
    },
  });
}

/** A log that tells other changes. */
function changes(change: (change: Change) => readonly Change[]): NonNullable<Mutant['log']> {
  return sets((set) => ({ ...set, changes: set.changes.flatMap(change) }));
}

/** An applier that makes other changes. */
function applied(change: (change: TargetChange) => TargetChange): NonNullable<Mutant['applier']> {
  return (applier) => ({ apply: (set, settle) => applier.apply({ ...set, changes: set.changes.map(change) }, settle) });
}

const mutants: readonly Mutant[] = [
  { name: 'loses deletes', log: changes((change) => (change.op === 'delete' ? [] : [change])) },
  { name: 'tells inserts twice', log: changes((change) => (change.op === 'insert' ? [change, change] : [change])) },
  { name: 'tells updates as inserts', log: changes((change) => [change.op === 'update' ? { ...change, op: 'insert' } : change]) },
  { name: 'loses truncates', log: changes((change) => (change.op === 'truncate' ? [] : [change])) },
  { name: 'tells no fields', log: changes((change) => (change.op === 'fields' ? [] : [change])) },
  {
    name: 'does not tell the key before',
    log: changes((change) => {
      if (change.op !== 'update') return [change];
      const { key: _, ...rest } = change;
      return [rest];
    }),
  },
  {
    name: 'tells null as the empty text',
    log: changes((change) => [change.op === 'insert' ? { ...change, row: change.row.map((value) => value ?? '') } : change]),
  },
  { name: 'ignores milestones', log: (log) => ({ follow: (request, after) => log.follow(request, after) }) },
  {
    name: 'knows the first milestone only',
    log: (log) => ({ follow: (request, after, milestones) => log.follow(request, after, milestones?.slice(0, 1)) }),
  },
  {
    name: 'has a position for each piece of a transaction',
    log: (log) => ({
      ...sets((set) => ({ ...set, position: set.position ?? '{"transaction":0}' }))(log),
    }),
  },
  { name: 'tells a wrong time', log: sets((set) => ({ ...set, committedAt: 0 })) },
  { name: 'does not let go', log: () => ({ release: async () => {} }) },
  { name: 'does not hold anew', log: (log) => held(log) },
  { name: 'has no streams to add', log: () => ({ change: async () => {} }) },
  { name: 'says that each position lies before itself', log: (log) => ({ isBefore: (one, other) => !log.isBefore(other, one) }) },
  { name: 'holds what there is not', log: (log) => ({ hold: (request) => log.hold(request).catch(() => log.end()) }) },
  { name: 'says that something is missing', log: () => ({ check: async () => ['Everything.'] }) },
  {
    name: 'looks up rows that are gone',
    log: (log) => ({
      follow: (request, after, milestones) => {
        const following = log.follow(request, after, milestones);
        return {
          ...following,
          lookUp: async (stream, keys, fields) => {
            const rows = await following.lookUp(stream, keys, fields);
            return [...rows, ...keys.slice(rows.length).map((key) => [...key, ...(rows[0]?.slice(key.length) ?? [])])];
          },
        };
      },
    }),
  },
  {
    name: 'commits each set',
    applier: (applier) => ({ apply: (set, settle) => applier.apply({ position: 'early', ...set }, settle) }),
  },
  {
    name: 'keeps no position',
    applier: (applier) => ({ apply: (set, settle) => applier.apply({ ...set, position: 'the same' }, settle) }),
  },
  {
    name: 'keeps no note',
    applier: (applier) => ({
      apply: (set, settle) => applier.apply(set, settle && (async (result) => (await settle(result)).slice(0, 0))),
    }),
  },
  {
    name: 'does not settle before the commit',
    applier: (applier) => ({
      apply: async (set, settle) => {
        const result = await applier.apply(set);
        await settle?.(result);
        return result;
      },
    }),
  },
  {
    name: 'says nothing of what was refused',
    applier: (applier) => ({ apply: async (set, settle) => ({ ...(await applier.apply(set, settle)), rejects: [] }) }),
  },
  { name: 'lets old workers go on', request: (request) => ({ ...request, token: 1n }) },
  {
    name: 'begins anew whenever it is asked',
    request: (request) => ({ ...request, resume: () => false }),
  },
  { name: 'goes on where it should begin anew', request: (request) => ({ ...request, resume: () => true }) },
  {
    name: 'looks nothing up',
    request: (request) => ({ ...request, lookUp: async () => [] }),
  },
  {
    name: 'always removes what is gone',
    request: (request) => ({ ...request, streams: request.streams.map((stream) => ({ ...stream, deletes: 'delete' })) }),
  },
  {
    name: 'makes streams that are not to be made',
    request: (request) => ({ ...request, streams: request.streams.map((stream) => ({ ...stream, create: true })) }),
  },
  { name: 'leaves alone what changes nothing', applier: applied((change) => ({ ...change, mayBeThere: true })) },
  {
    name: 'makes what is there already',
    applier: applied((change) => {
      const { mayBeThere: _, ...rest } = change;
      return rest;
    }),
  },
  {
    name: 'takes what is not told for null',
    applier: applied((change) => ('row' in change ? { ...change, row: change.row.map((value) => value ?? null) } : change)),
  },
  {
    name: 'does not move rows',
    applier: applied((change) => {
      if (change.op !== 'update') return change;
      const { key: _, ...rest } = change;
      return rest;
    }),
  },
  { name: 'cannot be extended', applier: () => ({ extend: async () => {} }) },
];

/** What was held first stays. */
function held(log: ChangeLog): Partial<ChangeLog> {
  const first = new Map<string, string>();
  return {
    hold: async (request) => {
      const position = first.get(request.owner) ?? (await log.hold(request));
      first.set(request.owner, position);
      return position;
    },
  };
}

const cases = [...logCases, ...milestoneCases, ...logFaultCases, ...applyCases];

test('the suite has these cases for a connector that claims both', () => {
  const names = new Set(casesFor(harness).map(({ name }) => name));
  for (const { name } of cases) assert.ok(names.has(name), name);
});

describe('the conformance suite notices a connector that', () => {
  // Each waits for what does not come: a sample, unless all is asked for.
  for (const mutant of mutants.filter((_, at) => isWhole || at % 3 === 0)) testNoticed(mutant.name, opened(mutant), cases);
});

function opened(mutant: Mutant): typeof harness.connector.open {
  return async (config, context) => {
    const session = await harness.connector.open(config, context);
    const log = session.log as ChangeLog;
    return {
      ...session,
      log: { ...log, ...mutant.log?.(log) },
      apply: async (given) => {
        const applier = await (session.apply as NonNullable<typeof session.apply>)(mutant.request?.(given) ?? given);
        const changed = mutant.applier?.(applier) ?? {};
        return {
          get checkpoint() {
            return applier.checkpoint;
          },
          get note() {
            return applier.note;
          },
          apply: changed.apply ?? ((set, settle) => applier.apply(set, settle)),
          extend: changed.extend ?? ((stream, fields) => applier.extend(stream, fields)),
          close: () => applier.close(),
        };
      },
    };
  };
}
