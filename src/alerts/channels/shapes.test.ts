import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IncidentRow } from '../queries.ts';
import { discordBody, htmlBody, mattermostBody, slackBody, teamsBody } from './shapes.ts';
import { type AlertMessage, plainText, tellingOf } from './telling.ts';

const EVIL = '<!channel> <@U123> @everyone @here **bold** [x](http://evil) `code` <b>&"\' \r\nBcc: all@example.com \u202e';

const incident = (more: Partial<IncidentRow> = {}): IncidentRow => ({
  id: 'inc_1',
  rule: 'failing',
  object_id: 'syn_1',
  object_name: EVIL,
  opened_at: '2026-11-16T10:00:00.000Z',
  closed_at: null,
  summary: `The last run failed: ${EVIL}`,
  ending: null,
  details: '{}',
  ...more,
});
const message = (more: Partial<AlertMessage> = {}): AlertMessage => ({
  id: 'msg_1',
  kind: 'opened',
  alert: { id: 'alt_1', name: EVIL },
  incident: incident(),
  at: '2026-11-16T12:00:00.000Z',
  ...more,
});
const telling = tellingOf(message(), 'https://sync.example.com');

// oxlint-disable-next-line no-explicit-any -- bodies of every shape
const shaped = (body: unknown): any => body;

test('a message says what happened, to what, since when, and where to look', () => {
  assert.match(telling.headline, /: failing$/);
  assert.match(telling.text, /^The last run failed: /);
  assert.deepEqual(telling.facts[1], { label: 'Since', value: '2026-11-16 10:00 UTC, for 2 hours' });
  assert.equal(telling.link, 'https://sync.example.com/syncs/syn_1');
  const over = tellingOf(
    message({ kind: 'closed', incident: incident({ closed_at: '2026-11-16T11:00:00.000Z', ending: 'A run has succeeded again.' }) }),
    undefined,
  );
  assert.match(over.headline, /: over: failing$/);
  assert.match(over.text, /^A run has succeeded again\. What was wrong: /);
  assert.deepEqual(over.facts.map(({ label, value }) => `${label}: ${value}`).slice(1), [
    'From: 2026-11-16 10:00 UTC to 2026-11-16 11:00 UTC, 60 minutes',
    'Look: syncline syncs show syn_1',
  ]);
  assert.equal(over.link, null);
  const paths = (['needs_approval', 'endpoint_paused', 'disk_full', 'key_expires'] as const).map(
    (rule) => tellingOf(message({ incident: incident({ rule, details: '{"run_id":"run_1"}' }) }), 'https://h').link,
  );
  assert.deepEqual(paths, ['https://h/runs/run_1', 'https://h/webhooks/syn_1', 'https://h/nodes', 'https://h/keys']);
  assert.match(tellingOf(message({ kind: 'test', incident: null }), undefined).text, /^This is a test of the alert /);
});

test('nothing of it spans lines or turns around the direction of writing', () => {
  for (const text of [telling.headline, telling.text, ...telling.facts.map(({ value }) => value)])
    assert.ok(!/[\p{Cc}\p{Cf}]/u.test(text), text);
  assert.equal(plainText(telling).split('\n').length, 7);
});

test('Slack: no mention, no link but ours, and within its bounds', () => {
  const { text, blocks } = shaped(slackBody(telling));
  const written = JSON.stringify(blocks);
  assert.ok(!text.includes('<') && text.includes('&lt;!channel&gt;'));
  assert.deepEqual(written.match(/<[^>]*>/g), ['<https://sync.example.com/syncs/syn_1|Open in Syncline>']);
  assert.equal(blocks[0].type, 'header');
  assert.ok(blocks[0].text.text.length <= 150);
  for (const block of blocks.slice(0, -1)) for (const part of block.fields ?? [block.text]) assert.equal(part.type, 'plain_text');
});

test('Discord: nobody is mentioned, and Markdown is text', () => {
  const body = shaped(discordBody(telling));
  assert.deepEqual(body.allowed_mentions, { parse: [] });
  const [embed] = body.embeds;
  assert.ok(embed.description.includes('\\*\\*bold\\*\\* \\[x\\]\\(http\\://evil\\)'));
  assert.ok(embed.title.length <= 256 && embed.description.length <= 4096 && Number.isInteger(embed.color));
  assert.equal(embed.url, telling.link);
});

test('Mattermost: mentions are broken, those of Slack too', () => {
  const written = JSON.stringify(mattermostBody(telling));
  assert.ok(!/@(everyone|here|channel|all|U123)/.test(written));
  assert.ok(!written.includes('<!channel'));
  assert.ok(written.includes('&lt;'));
});

test('Teams: an adaptive card of runs of text, which know no Markdown', () => {
  const { type, attachments } = shaped(teamsBody(telling));
  assert.equal(type, 'message');
  const [{ contentType, content }] = attachments;
  assert.equal(contentType, 'application/vnd.microsoft.card.adaptive');
  assert.deepEqual([content.type, content.version], ['AdaptiveCard', '1.4']);
  for (const block of content.body) {
    assert.equal(block.type, 'RichTextBlock');
    for (const run of block.inlines) assert.equal(run.type, 'TextRun');
  }
  assert.deepEqual(content.actions, [{ type: 'Action.OpenUrl', title: 'Open in Syncline', url: telling.link }]);
});

test('mail: no markup but ours', () => {
  const html = htmlBody(telling);
  assert.ok(html.includes('&lt;!channel&gt;') && html.includes('&lt;b&gt;&amp;&quot;&#39;'));
  assert.deepEqual([...new Set(html.match(/<\/?[a-z]+/g))].sort(), [
    '</a',
    '</body',
    '</h',
    '</html',
    '</p',
    '</table',
    '</td',
    '</tr',
    '<a',
    '<body',
    '<h',
    '<html',
    '<p',
    '<table',
    '<td',
    '<tr',
  ]);
});

test('whatever the names are, every shape stays within its bounds and is well formed', () => {
  const text = fc.string({ unit: 'binary', maxLength: 4000 });
  fc.assert(
    fc.property(text, text, (name, summary) => {
      const told = tellingOf(message({ incident: incident({ object_name: name, summary }) }), 'https://h');
      assert.ok(told.headline.length <= 300 && !told.headline.includes('\n'));
      const slack = shaped(slackBody(told));
      assert.ok(slack.blocks[0].text.text.length <= 150 && slack.blocks[1].text.text.length <= 3000);
      assert.equal((JSON.stringify(slack).match(/<[^>]*>/g) ?? []).length, 1);
      const [embed] = shaped(discordBody(told)).embeds;
      assert.ok(embed.title.length <= 256 && embed.description.length <= 4096);
      for (const body of [slack, discordBody(told), mattermostBody(told), teamsBody(told)]) {
        const json = JSON.stringify(body);
        assert.ok(json.isWellFormed() && Buffer.byteLength(json) < 28_000, String(Buffer.byteLength(json)));
      }
    }),
  );
});
