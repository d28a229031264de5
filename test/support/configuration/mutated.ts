// Configuration files with one fault each, made from a good one. The same seed makes the same faults.

export const GOOD = `# A good file.
version: 1
defaults:
  streams:
    deletes: delete
sources:
  shop:
    type: sqlite
    config:
      path: shop.db
  warehouse:
    type: sqlite
    config:
      path: warehouse.db
  api:
    type: postgres
    config:
      host: db.example.com
      database: shop
      user: reader
      password: \${env:API_PASSWORD}
hooks:
  changes:
    scheme: github
    secret: \${env:HOOK_SECRET}
    sync: customers
syncs:
  customers:
    source: shop
    target: warehouse
    schedule:
      type: interval
      every: 15m
    streams:
      - source: customers
        mode: mirror
        key: [id]
    on_reject: quarantine
    schema_changes: apply
    structure: full
    on_gap: stop
    max_retained: 2 GB
    expect_every: 1h
    undo:
      keep: 7d
    verify:
      every: 24h
  orders:
    source: shop
    target: warehouse
    schedule:
      type: after
      sync: customers
    streams:
      - source: orders
        mode: mirror
webhooks:
  ERP:
    url: https://erp.example/in
    types: ["order.*"]
    payload: thin
    headers:
      X-Key: \${env:ERP_KEY}
alerts:
  operations:
    channel:
      type: slack
      url: \${env:SLACK_URL}
    rules:
      - type: failing
        runs: 2
    syncs: [customers]
    remind_every: 4h
keys:
  web shop:
    scopes: [orders:write]
    rate_limit: 100
`;

export const VARIABLES: Readonly<Record<string, string>> = {
  API_PASSWORD: 'canary-password',
  HOOK_SECRET: 'canary-hook-secret',
  ERP_KEY: 'canary-header',
  SLACK_URL: 'https://hooks.example/canary-slack',
};

export interface Mutated {
  readonly text: string;
  /** The line at fault, from 1. */
  readonly line: number;
  readonly what: string;
}

type Random = () => number;

/** Which lines a fault can be put into, and what becomes of the line. Each makes a file that is wrong for certain. */
const FAULTS: readonly { what: string; fits: RegExp; change: (line: string, random: Random) => string }[] = [
  // Within entries: names of entries are free.
  {
    what: 'a member that is misspelt',
    fits: /^ {4,}(- )?(source|target|schedule|streams|type|config|scheme|url|types|payload|channel|rules|scopes|mode|every|rate_limit|remind_every|schema_changes|on_reject|structure|on_gap|max_retained|expect_every|undo|verify|keep):?/,
    change: (line, random) => line.replace(/(\w)(\w+):/, (_, a: string, b: string) => `${a}${letter(random)}${b}:`),
  },
  {
    what: 'a section that is misspelt',
    fits: /^(sources|hooks|syncs|webhooks|alerts|keys|defaults):/,
    change: (line, random) => line.replace(/(\w)/, (a) => `${a}${letter(random)}`),
  },
  {
    what: 'a word that there is not',
    fits: /(mode: |type: (sqlite|postgres|slack|failing|interval|after)|scheme: |payload: |on_reject: |schema_changes: |structure: |on_gap: )/,
    change: (line, random) => line.replace(/(\w+)$/, (word) => `${word}${letter(random)}`),
  },
  {
    what: 'a name of nothing',
    fits: /^ +(source: shop|target: warehouse|sync: customers|syncs: \[customers)/,
    change: (line, random) => line.replace(/(shop|warehouse|customers)/, (word) => `${word}${letter(random)}`),
  },
  {
    what: 'a stream that there is not',
    fits: /- source: (customers|orders)/,
    change: (line, random) => line.replace(/(customers|orders)/, (word) => `${word}${letter(random)}`),
  },
  { what: 'a secret in the open', fits: /\$\{env:/, change: (line, random) => line.replace(/\$\{env:\w+\}/, `open${letter(random)}`) },
  { what: 'a reference that is misspelt', fits: /\$\{env:/, change: (line) => line.replace('${env:', '${evn:') },
  {
    what: 'another type',
    fits: /(rate_limit|runs|streams|scopes|headers|config|channel|rules|undo|verify): ?/,
    change: (line, random) => line.replace(/:.*$/, `: ${letter(random)}`),
  },
  {
    what: 'a number out of bounds',
    fits: /(rate_limit|runs): \d+/,
    change: (line, random) => line.replace(/\d+/, `-${1 + Math.floor(random() * 9)}`),
  },
  {
    what: 'a time that is none',
    fits: /(every|remind_every|expect_every|keep): /,
    change: (line, random) => line.replace(/\d+\w$/, `${letter(random)}5`),
  },
  {
    what: 'a line twice',
    fits: /^ {4}(type|source|target|url|payload|scheme|remind_every|rate_limit): /,
    change: (line) => `${line}\n${line}`,
  },
  { what: 'a bracket that stays open', fits: /\[.*\]$/, change: (line) => line.replace(/\]$/, '') },
  { what: 'a tab', fits: /^ {4}\w+:/, change: (line) => line.replace(/^ {4}/, '\t') },
  { what: 'another version', fits: /^version:/, change: (line, random) => line.replace('1', String(2 + Math.floor(random() * 8))) },
];

export function mutations(count: number, random: Random): Mutated[] {
  const lines = GOOD.split('\n');
  return Array.from({ length: count }, (_, at) => {
    const { what, fits, change } = FAULTS[at % FAULTS.length] as (typeof FAULTS)[number];
    const places = lines.flatMap((line, place) => (fits.test(line) ? [place] : []));
    const place = places[Math.floor(random() * places.length)] as number;
    const changed = change(lines[place] as string, random);
    return { what, line: place + 1, text: lines.with(place, changed).join('\n') };
  });
}

function letter(random: Random): string {
  return 'qxzjk'.charAt(Math.floor(random() * 5));
}
