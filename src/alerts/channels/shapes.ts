import { plainText, type Telling } from './telling.ts';

// The body that each chat wants. What comes from outside may be anything, also a mention of everybody or a link: each shape has its own way
// to keep it from being more than text.

type Json = Readonly<Record<string, unknown>>;

const SIGNS = { bad: '🔴', good: '🟢', neutral: '🔵' } as const;
const COLOURS = { bad: 'd92d20', good: '12813d', neutral: '1c6dd0' } as const;
const OPEN = 'Open in Syncline';

/** https://api.slack.com/messaging/webhooks: `<`, `>` and `&` are what mentions and links are made of, and are written as entities. */
export function slackBody(telling: Telling): Json {
  const { headline, text, facts, link, mood } = telling;
  const plain = (words: string, most: number): Json => ({ type: 'plain_text', text: cut(slackText(words), most), emoji: false });
  return {
    // For notifications, and for where blocks are not shown.
    text: slackText(`${SIGNS[mood]} ${plainText(telling)}`),
    mrkdwn: false,
    blocks: [
      { type: 'header', text: plain(`${SIGNS[mood]} ${headline}`, 150) },
      { type: 'section', text: plain(text, 3000) },
      ...(facts.length > 0 ? [{ type: 'section', fields: facts.map(({ label, value }) => plain(`${label}: ${value}`, 2000)) }] : []),
      ...(link === null ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: `<${slackText(link)}|${OPEN}>`, verbatim: true } }]),
    ],
  };
}

function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** https://discord.com/developers/docs/resources/webhook: nobody is mentioned, whatever it says. */
export function discordBody({ headline, text, facts, link, mood }: Telling): Json {
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: cut(markdownText(headline), 256),
        description: cut(markdownText(text), 4096),
        color: Number.parseInt(COLOURS[mood], 16),
        fields: facts.map(({ label, value }) => ({ name: label, value: cut(markdownText(value), 1024), inline: false })),
        ...(link !== null && { url: link }),
      },
    ],
  };
}

/** https://developers.mattermost.com/integrate/webhooks/incoming: it understands mentions as they are typed, and those of Slack too. */
export function mattermostBody(telling: Telling): Json {
  const { headline, text, facts, link, mood } = telling;
  const outside = (words: string): string =>
    markdownText(words).replaceAll('&', '&amp;').replaceAll('\\<', '&lt;').replaceAll('\\>', '&gt;').replaceAll('@', '@\u200b');
  return {
    text: '',
    attachments: [
      {
        fallback: outside(headline),
        color: `#${COLOURS[mood]}`,
        title: outside(`${SIGNS[mood]} ${headline}`),
        ...(link !== null && { title_link: link }),
        text: outside(text),
        fields: facts.map(({ label, value }) => ({ title: label, value: outside(value), short: false })),
      },
    ],
  };
}

/**
 * A message of a Teams workflow ("When a Teams webhook request is received"): an adaptive card. Runs of text are shown as they are, without
 * markdown, and mention nobody.
 */
export function teamsBody({ headline, text, facts, link, mood }: Telling): Json {
  const line = (words: string, options: Json = {}): Json => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text: words, ...options }],
  });
  const colour = { bad: 'attention', good: 'good', neutral: 'accent' }[mood];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            line(headline, { weight: 'bolder', size: 'large', color: colour }),
            line(text),
            ...facts.map(({ label, value }) => line(`${label}: ${value}`, { isSubtle: true })),
          ],
          actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: OPEN, url: link }],
        },
      },
    ],
  };
}

/** Every character that means something in Markdown, behind a backslash. */
function markdownText(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|~<>:]/g, '\\$&');
}

/** Text of at most so many characters, without half of one, and without a backslash that lost what it was for. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .replace(/&[a-z]{0,3}$/, '')
    .replace(/\\$/, '')
    .toWellFormed()}…`;
}

/** For a mail: text that cannot be taken for markup. */
export function htmlBody({ headline, text, facts, link, mood }: Telling): string {
  const rows = facts.map(
    ({ label, value }) => `<tr><td style="padding:2px 12px 2px 0;color:#666">${htmlText(label)}</td><td>${htmlText(value)}</td></tr>`,
  );
  const button = link === null ? '' : `<p><a href="${htmlText(link)}" style="color:#1c6dd0">${OPEN}</a></p>`;
  return (
    '<!doctype html><html><body style="font:15px/1.5 sans-serif;color:#222">' +
    `<h2 style="font-size:18px;color:#${COLOURS[mood]}">${htmlText(headline)}</h2><p>${htmlText(text)}</p>` +
    `<table style="border-collapse:collapse">${rows.join('')}</table>${button}</body></html>`
  );
}

function htmlText(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (one) => entities[one] ?? one);
}
