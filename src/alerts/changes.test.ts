import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { AlertRules, Rule } from './alert.ts';
import { type AlertChanges, changesIn, type KnownIncident, type Most, type OpenIncident } from './changes.ts';
import { boundsOf, type Finding, isIncident } from './rules.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const HOUR = 3_600_000;

const alert = (id: string, rules: Rule[], more: Partial<AlertRules> = {}): AlertRules => ({
  id,
  rules,
  syncIds: null,
  remindEvery: null,
  quietHours: null,
  ...more,
});
const finding = (rule: Finding['rule'], objectId: string, level = 1, more: Partial<Finding> = {}): Finding => ({
  rule,
  objectId,
  objectName: objectId,
  level,
  summary: `${rule} ${level}`,
  details: {},
  ...more,
});

/** What is known, carried from one look to the next as the database would. */
class Memory {
  open: OpenIncident[] = [];
  known: KnownIncident[] = [];
  told: string[] = [];
  isAll = true;
  #ids = 0;

  look(alerts: readonly AlertRules[], findings: readonly Finding[], now = NOW, most?: Most): AlertChanges {
    const situation = { now, alerts, findings, open: this.open, known: this.known };
    const { changes, isAll } = changesIn(situation, () => `inc_${++this.#ids}`, most);
    this.isAll = isAll;
    const opened = changes.opened.map(({ id, rule, objectId, objectName, summary }) => ({
      id,
      rule,
      object_id: objectId,
      object_name: objectName,
      summary,
    }));
    const changed = new Map(changes.changed.map((one) => [one.id, one]));
    this.open = [...this.open, ...opened]
      .filter(({ id }) => !changes.closed.includes(id))
      .map((one) => ({ ...one, summary: changed.get(one.id)?.summary ?? one.summary }));
    const gone = new Set(changes.forgotten.map(({ alertId, incidentId }) => `${alertId} ${incidentId}`));
    const learned = new Map(changes.learned.map((one) => [`${one.alertId} ${one.incidentId}`, one]));
    this.known = [
      ...this.known.filter((pair) => !learned.has(`${pair.alert_id} ${pair.incident_id}`)),
      ...[...learned.values()].map(({ alertId, incidentId, remindAt }) => ({
        alert_id: alertId,
        incident_id: incidentId,
        remind_at: remindAt === null ? null : new Date(remindAt).toISOString(),
      })),
    ].filter((pair) => !gone.has(`${pair.alert_id} ${pair.incident_id}`));
    for (const { alertId, incidentId, kind } of changes.messages) this.told.push(`${alertId} ${incidentId} ${kind}`);
    return changes;
  }
}

test('one message when it begins, however often it is seen, and one when it is over', () => {
  const memory = new Memory();
  const alerts = [alert('a', [{ type: 'failing', runs: 1 }])];
  for (let runs = 1; runs <= 20; runs++) memory.look(alerts, [finding('failing', 's', runs)]);
  assert.deepEqual(memory.told, ['a inc_1 opened']);
  memory.look(alerts, []);
  memory.look(alerts, []);
  assert.deepEqual(memory.told, ['a inc_1 opened', 'a inc_1 closed']);
  memory.look(alerts, [finding('failing', 's')]);
  assert.equal(memory.told.at(-1), 'a inc_2 opened', 'another time is another incident');
});

test('each alert is told from its own measure on, and of its own synchronizations', () => {
  const memory = new Memory();
  const alerts = [
    alert('few', [{ type: 'rejects', over: 0 }]),
    alert('many', [{ type: 'rejects', over: 100 }]),
    alert('other', [{ type: 'rejects', over: 0 }], { syncIds: ['t'] }),
    alert('none', [{ type: 'failing', runs: 1 }]),
  ];
  memory.look(alerts, [finding('rejects', 's', 5)]);
  memory.look(alerts, [finding('rejects', 's', 101)]);
  memory.look(alerts, [finding('rejects', 's', 7)]);
  memory.look(alerts, []);
  assert.deepEqual(memory.told, ['few inc_1 opened', 'many inc_1 opened', 'many inc_1 closed', 'few inc_1 closed']);
});

test('a new alert is told of what is wrong already; one that no longer looks is left in peace', () => {
  const memory = new Memory();
  memory.look([], [finding('failing', 's')]);
  assert.equal(memory.open.length, 1, 'it is an incident without any alert');
  const looking = alert('a', [{ type: 'failing', runs: 1 }]);
  memory.look([looking], [finding('failing', 's', 2)]);
  memory.look([alert('a', [{ type: 'late' }])], [finding('failing', 's', 3)]);
  memory.look([alert('a', [{ type: 'late' }])], []);
  assert.deepEqual(memory.told, ['a inc_1 opened']);
});

test('reminders come when they are wanted, and only as long as it goes on', () => {
  const memory = new Memory();
  const alerts = [alert('a', [{ type: 'late' }], { remindEvery: '4h' }), alert('b', [{ type: 'late' }])];
  for (let hour = 0; hour <= 9; hour++) memory.look(alerts, [finding('late', 's')], NOW + hour * HOUR);
  memory.look(alerts, [], NOW + 20 * HOUR);
  assert.deepEqual(
    memory.told.filter((one) => one.startsWith('a')),
    ['a inc_1 opened', 'a inc_1 reminder', 'a inc_1 reminder', 'a inc_1 closed'],
  );
  assert.deepEqual(
    memory.told.filter((one) => one.startsWith('b')),
    ['b inc_1 opened', 'b inc_1 closed'],
  );
});

test('in quiet hours a message waits for their end', () => {
  const quietHours = { from: '11:00', to: '13:00', timezone: 'UTC' };
  const [first] = new Memory().look([alert('a', [{ type: 'late' }], { quietHours })], [finding('late', 's')]).messages;
  assert.equal(first?.nextAt, NOW + HOUR);
});

test('an alert that puts up with more hides no incident, and is not told of it', () => {
  const patient = alert('a', [{ type: 'rejects', over: 100 }]);
  assert.ok(isIncident([patient], finding('rejects', 's', 5)));
  const memory = new Memory();
  const { opened, messages } = memory.look([patient], [finding('rejects', 's', 5)]);
  assert.deepEqual([opened.length, messages.length], [1, 0]);
});

test('without an alert each thing has a measure of its own, and lag has none', () => {
  assert.ok(isIncident([], finding('disk_full', 'host', 9)));
  assert.ok(!isIncident([], finding('disk_full', 'host', 11)));
  assert.ok(isIncident([alert('a', [{ type: 'disk_full', free_percent: 20 }])], finding('disk_full', 'host', 11)));
  assert.ok(!isIncident([], finding('lag', 's', 1_000_000)));
  assert.ok(isIncident([], finding('key_expires', 'k', 3, { lifetime: 365 })));
  assert.ok(!isIncident([], finding('key_expires', 'k', 3, { lifetime: 7 })), 'a key that was made for a week is meant to end');
  assert.deepEqual(
    boundsOf([
      alert('a', [
        { type: 'rejects', over: 50 },
        { type: 'lag', seconds: 9 },
      ]),
    ]),
    { rejects: 50, days: 14, lag: 9 },
  );
});

test('however much goes wrong at once, one look does a part of it, and the next ones the rest', () => {
  const memory = new Memory();
  const alerts = ['a', 'b', 'c'].map((id) => alert(id, [{ type: 'failing', runs: 1 }]));
  const findings = Array.from({ length: 100 }, (_, n) => finding('failing', `s${n}`));
  const looks = (found: Finding[], most: Most): number[] => {
    const counts: number[] = [];
    do counts.push(memory.look(alerts, found, NOW, most).messages.length);
    while (!memory.isAll && counts.length < 100);
    return counts;
  };
  assert.deepEqual(looks(findings, { incidents: 40, messages: 1000 }), [120, 120, 60]);
  assert.deepEqual([memory.open.length, memory.known.length], [100, 300]);
  assert.deepEqual(looks(findings, { incidents: 40, messages: 1000 }), [0]);
  assert.deepEqual(looks([], { incidents: 1000, messages: 150 }), [150, 150]);
  assert.deepEqual([memory.open.length, memory.known.length, memory.told.length], [0, 0, 600]);
});

test('whatever happens, every alert hears of beginnings and ends by turns, and nothing is left when all is well', () => {
  const rule = fc.constantFrom<Rule>(
    { type: 'rejects', over: 0 },
    { type: 'rejects', over: 3 },
    { type: 'failing', runs: 2 },
    { type: 'late' },
  );
  const alerts = fc
    .array(
      fc.record({ rules: fc.uniqueArray(rule, { minLength: 1, selector: ({ type }) => type }), syncIds: fc.constantFrom(null, ['s']) }),
      { maxLength: 3 },
    )
    .map((list) => list.map(({ rules, syncIds }, at) => alert(`a${at}`, rules, { syncIds })));
  const looks = fc.array(
    fc.uniqueArray(
      fc
        .tuple(fc.constantFrom('rejects', 'failing', 'late'), fc.constantFrom('s', 't'), fc.nat(5))
        .map(([kind, id, level]) => finding(kind as Finding['rule'], id, level)),
      { selector: ({ rule: of, objectId }) => `${of} ${objectId}` },
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(alerts, looks, (list, findings) => {
      const memory = new Memory();
      for (const found of findings) memory.look(list, found);
      memory.look(list, []);
      assert.deepEqual([memory.open, memory.known], [[], []]);
      for (const [pair, told] of Map.groupBy(memory.told, (one) => one.replace(/ \w+$/, ''))) {
        const kinds = told.map((one) => one.split(' ').at(-1));
        assert.deepEqual(
          kinds,
          kinds.map((_, at) => (at % 2 === 0 ? 'opened' : 'closed')),
          pair,
        );
        assert.equal(kinds.length % 2, 0, pair);
      }
    }),
  );
});
