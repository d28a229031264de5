import { join, resolve } from 'node:path';
import { FILES_FOLDER } from './outside/own-places.ts';
import { reachOf } from './outside/reach.ts';
import { rangesOf } from './lib/addresses.ts';
import { parseKeyring } from './lib/secrets.ts';
import { type Role, ROLES } from './nodes/role.ts';
import { readHeaderList, type SamplerSettings, SAMPLERS, type TraceSettings } from './traces/settings.ts';

export interface Config {
  /** What this node is for. */
  readonly role: Role;
  readonly host: string;
  readonly port: number;
  /** Where the metrics are without a key; undefined for nowhere. */
  readonly metricsPort: number | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly adminKey: string | undefined;
  readonly logLevel: string;
  /** Requests a second for each key on this node; 0 switches the limit off. */
  readonly rateLimit: number;
  /** Wrong keys a minute from one address before it is told to wait; 0 for any number. */
  readonly wrongKeys: number;
  /** How long a sign-in of a browser lasts at most. */
  readonly sessionHours: number;
  /** The currency of an order that names none. */
  readonly currency: string;
  readonly oidc: { issuer: string; audience: string; scopeClaim: string } | undefined;
  /** How people sign in on the page at the OIDC issuer; undefined: they do not. */
  readonly oidcSignIn: { clientId: string; clientSecret: string | undefined; scope: string; name: string } | undefined;
  /** PostgreSQL connections of this node. */
  readonly poolSize: number;
  readonly maxInFlight: number;
  readonly maxConnections: number;
  /** The files of the certificate and its key, with which TLS is spoken. */
  readonly tls: { cert: string; key: string } | undefined;
  /** Ranges of the proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: string | undefined;
  /** Encrypts the secrets of sources; undefined: the key in the data directory. */
  readonly secretKeys: string | undefined;
  /** Which addresses connectors may connect to: `any`, `public`, or a list of ranges. */
  readonly networks: string;
  /** Folders below which connectors may read and write files. */
  readonly fileRoots: readonly string[];
  /** Runs of synchronizations at the same time on this node. */
  readonly maxRuns: number;
  /** Runs that use the same source or target at the same time, on all nodes together. */
  readonly runsPerSource: number;
  /** Of them, those of one key that is no admin; undefined: half. */
  readonly runsPerKey: number | undefined;
  /** Sources, synchronizations and endpoints of webhooks that one key that is no admin may make; 0 for any number. */
  readonly sourcesPerKey: number;
  readonly syncsPerKey: number;
  readonly webhooksPerKey: number;
  /** Alerts that one key without admin may have; 0 for any number. */
  readonly alertsPerKey: number;
  /** Streams of one run at the same time. */
  readonly streamsPerRun: number;
  /** Rows from which on a stream is copied in parts; undefined: where several nodes run synchronizations, a size that pays. */
  readonly splitRows: number | undefined;
  /** What one run may use of memory, in megabytes. */
  readonly runMemory: number;
  /** How long finished runs are kept. */
  readonly runDays: number;
  /** How long log entries are kept. */
  readonly logDays: number;
  /** Where people find the page of this service, without a slash at the end: links in messages begin with it. */
  readonly publicUrl: string | undefined;
  /** Calls of hooks are forgotten after so many days. */
  readonly hookDays: number;
  /** Persons are erased from orders after so many days; undefined keeps them. */
  readonly customerDays: number | undefined;
  /** Where traces go; undefined for nowhere. */
  readonly traces: TraceSettings | undefined;
  /** Configuration files that are applied at the start: a file, or a folder of them. */
  readonly configFiles: string | undefined;
  /** A variable of the environment, for references in such files. */
  readonly variable: (name: string) => string | undefined;
  /** For the command line: where the service is, and the key for it. */
  readonly url: string | undefined;
  readonly key: string | undefined;
}

/** Every setting there is: `npm start` and the README's table come from here. */
export const SETTINGS = {
  HOST: { fallback: '127.0.0.1', about: 'the address to listen on; 0.0.0.0 for all' },
  PORT: { fallback: '8080', about: 'the port to listen on; 0 for any free one' },
  SYNCLINE_METRICS_PORT: {
    fallback: undefined,
    about: 'a port of its own for `/metrics`, which needs no key there: the names of synchronizations are seen by all who reach it',
  },
  DATABASE_URL: { fallback: undefined, about: 'postgres://user:password@host/database; without it, an SQLite file in the data directory' },
  SYNCLINE_ROLE: {
    fallback: 'all',
    about: 'what this node is for: api answers requests, worker runs synchronizations, all does both; also `syncline start --role`',
  },
  SYNCLINE_DATA_DIR: { fallback: './data', about: 'the folder for the SQLite database and the admin key' },
  SYNCLINE_ADMIN_KEY: {
    fallback: undefined,
    about: 'an admin key of your own, at least 24 characters; without it, one is made at the first start',
  },
  SYNCLINE_RATE_LIMIT: { fallback: '1000', about: 'requests a second for each key and node, with a burst of twice that; 0 = no limit' },
  SYNCLINE_WRONG_KEYS: {
    fallback: '20',
    about: 'wrong keys a minute from one address before further wrong ones are answered 429; valid keys are not affected; 0 = no limit',
  },
  SYNCLINE_SESSION_HOURS: {
    fallback: '168',
    about: 'how long a sign-in on the page lasts at most; it ends earlier when it is not used for 24 hours, and with its key',
  },
  SYNCLINE_CURRENCY: { fallback: 'EUR', about: 'the currency of orders that name none (ISO 4217)' },
  SYNCLINE_MAX_IN_FLIGHT: {
    fallback: '4096',
    about: 'requests worked on at the same time; one more is answered 503, and one more than half of them of the same key 429',
  },
  SYNCLINE_MAX_CONNECTIONS: { fallback: '10000', about: 'connections at the same time; beyond that, idle ones make room for new ones' },
  SYNCLINE_TLS_CERT: {
    fallback: undefined,
    about:
      'a file with the certificate in PEM, followed by those that vouch for it: with it, https is spoken; read again when it is replaced',
  },
  SYNCLINE_TLS_KEY: { fallback: undefined, about: 'the file with the private key of that certificate, in PEM and without a passphrase' },
  SYNCLINE_TRUSTED_PROXIES: {
    fallback: undefined,
    about: 'the addresses of your proxies, as ranges such as 10.0.0.0/8,192.168.1.7: their X-Forwarded-For is believed (default: none)',
  },
  SYNCLINE_DB_POOL: { fallback: '10', about: 'connections of this node to PostgreSQL' },
  SYNCLINE_OIDC_ISSUER: { fallback: undefined, about: 'the https URL of an OIDC issuer whose signed tokens are accepted as keys' },
  SYNCLINE_OIDC_AUDIENCE: { fallback: 'syncline', about: 'the audience that such a token must be made for' },
  SYNCLINE_OIDC_SCOPE_CLAIM: { fallback: 'scope', about: 'the claim of such a token that holds its scopes' },
  SYNCLINE_OIDC_CLIENT_ID: {
    fallback: undefined,
    about:
      'lets people sign in on the page at that issuer: the id that the issuer has given Syncline; needs SYNCLINE_PUBLIC_URL (default: by key only)',
  },
  SYNCLINE_OIDC_CLIENT_SECRET: { fallback: undefined, about: 'the secret of that client, where the issuer has given one' },
  SYNCLINE_OIDC_SIGN_IN_SCOPE: { fallback: 'openid', about: 'the scopes that a sign-in asks of the issuer, separated by spaces' },
  SYNCLINE_OIDC_NAME: { fallback: undefined, about: 'what the page calls the issuer: "Sign in with …" (default: its host)' },
  SYNCLINE_SECRET_KEY: {
    fallback: undefined,
    about:
      'encrypts the secrets of sources: 32 bytes in base64; several as new,old or id:key,id:key; without it, one is made in the data directory',
  },
  SYNCLINE_NETWORKS: {
    fallback: 'any',
    about:
      'where connectors may connect to: any (but cloud metadata and link-local addresses), public, or ranges such as 10.0.0.0/8,192.168.1.7',
  },
  SYNCLINE_FILE_ROOTS: {
    fallback: undefined,
    about:
      'folders that connectors may read and write, separated by commas; a relative path in a source begins at the first (default: files in the data directory)',
  },
  SYNCLINE_MAX_RUNS: {
    fallback: '4',
    about: 'runs of synchronizations at the same time on this node, each in a thread; 0 = this node runs none',
  },
  SYNCLINE_RUNS_PER_SOURCE: { fallback: '4', about: 'runs at the same time that read from or write to one source, on all nodes together' },
  SYNCLINE_RUNS_PER_KEY: {
    fallback: undefined,
    about:
      'runs at the same time on this node of synchronizations that one key without admin has saved; all such keys together leave one place free (default: half of SYNCLINE_MAX_RUNS)',
  },
  SYNCLINE_SOURCES_PER_KEY: { fallback: '1000', about: 'sources that one key without admin may have; 0 = any number' },
  SYNCLINE_SYNCS_PER_KEY: { fallback: '1000', about: 'synchronizations that one key without admin may have; 0 = any number' },
  SYNCLINE_WEBHOOKS_PER_KEY: { fallback: '1000', about: 'endpoints of webhooks that one key without admin may have; 0 = any number' },
  SYNCLINE_ALERTS_PER_KEY: { fallback: '100', about: 'alerts that one key without admin may have; 0 = any number' },
  SYNCLINE_STREAMS_PER_RUN: { fallback: '2', about: 'streams at the same time within a run' },
  SYNCLINE_SPLIT_ROWS: {
    fallback: undefined,
    about:
      'rows from which on a stream is copied in parts that all nodes share, where both ends can do that; 0 = never (default: 2000000 where several nodes run synchronizations, else never)',
  },
  SYNCLINE_RUN_MEMORY: { fallback: '512', about: 'megabytes of memory that one run may use; one that needs more is ended' },
  SYNCLINE_RUN_DAYS: { fallback: '90', about: 'days for which finished runs are kept' },
  SYNCLINE_LOG_DAYS: { fallback: '30', about: 'days for which log entries of synchronizations are kept' },
  SYNCLINE_PUBLIC_URL: {
    fallback: undefined,
    about:
      'where people reach the page, such as https://syncline.example.com: messages of alerts link to it, and addresses of hooks begin with it (default: no links)',
  },
  SYNCLINE_HOOK_DAYS: { fallback: '30', about: 'days for which calls of hooks are kept' },
  SYNCLINE_CUSTOMER_DAYS: {
    fallback: undefined,
    about:
      'days after which persons are erased from orders: names, addresses, notes; what was ordered and paid stays (default: they are kept)',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    fallback: undefined,
    about:
      'where traces go: the address of an OpenTelemetry collector for OTLP over HTTP, such as http://collector:4318 (default: nowhere)',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    fallback: undefined,
    about: 'the same with its whole path, such as http://collector:4318/v1/traces',
  },
  OTEL_EXPORTER_OTLP_HEADERS: { fallback: undefined, about: 'headers for the collector, such as a key: name=value,name=value' },
  OTEL_SERVICE_NAME: { fallback: 'syncline', about: 'what this service is called in traces' },
  OTEL_TRACES_SAMPLER: {
    fallback: 'parentbased_always_on',
    about: 'which traces are recorded: always_on, always_off, traceidratio, or parentbased_ before one of them',
  },
  OTEL_TRACES_SAMPLER_ARG: { fallback: '1', about: 'of traceidratio: how many of the traces, from 0 to 1' },
  SYNCLINE_CONFIG: {
    fallback: undefined,
    about: 'a file in YAML, or a folder of them, that is applied at the start: sources, synchronizations and so on (default: none)',
  },
  LOG_LEVEL: { fallback: 'info', about: 'trace, debug, info, warn, error or silent' },
  SYNCLINE_URL: { fallback: undefined, about: 'for the command line: where the service is (default: at PORT of this machine)' },
  SYNCLINE_KEY: { fallback: undefined, about: 'for the command line: the key to use (default: the admin key of the data directory)' },
} as const;

type Setting = keyof typeof SETTINGS;

/** What Kubernetes puts into every container when a service is called "syncline". */
const SERVICE_LINK = /_SERVICE_(HOST|PORT(_\w+)?)=|_PORT(_\d+_(TCP|UDP))?=(tcp|udp):\/\/|_PORT_\d+_(TCP|UDP)_(ADDR|PORT|PROTO)=/;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The only reader of the environment. Throws one error that tells every fault. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const text = (name: Setting): string | undefined => environment[name]?.trim() || SETTINGS[name].fallback;
  const integer = (name: Setting, min: number, max: number): number => {
    const given = text(name) ?? '';
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
    if (!(value >= min && value <= max)) faults.push(`${name} must be a whole number from ${min} to ${max}, not "${given}"`);
    return value;
  };
  const matching = (name: Setting, pattern: RegExp, what: string): string | undefined => {
    const given = text(name);
    if (given !== undefined && !pattern.test(given)) faults.push(`${name} must be ${what}`);
    return given;
  };
  const understood = (name: Setting, parse: (given: string) => unknown): string | undefined => {
    const given = text(name);
    try {
      if (given !== undefined) parse(given);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
    return given;
  };

  const collector = understood('OTEL_EXPORTER_OTLP_ENDPOINT', demandCollector)?.replace(/\/+$/, '');
  const tracesUrl = understood('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', demandCollector) ?? (collector && `${collector}/v1/traces`);
  // What else is said of traces may be meant for other services, and counts where there is a collector.
  const tracesTo = (url: string): TraceSettings => {
    const headers = understood('OTEL_EXPORTER_OTLP_HEADERS', readHeaderList);
    const known = new RegExp(`^(${SAMPLERS.join('|')})$`);
    const name = matching('OTEL_TRACES_SAMPLER', known, `one of ${SAMPLERS.join(', ')}`) as SamplerSettings['name'];
    const ratio = Number(matching('OTEL_TRACES_SAMPLER_ARG', /^(0|1|[01]?\.\d{1,10})$/, 'a number from 0 to 1'));
    const serviceName = text('OTEL_SERVICE_NAME') as string;
    return {
      url,
      headers: headers === undefined || faults.length > 0 ? {} : readHeaderList(headers),
      serviceName,
      sampler: { name, ratio },
    };
  };
  const issuer = matching('SYNCLINE_OIDC_ISSUER', /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/, 'an https URL');
  const publicUrl = understood('SYNCLINE_PUBLIC_URL', demandWebAddress)?.replace(/\/+$/, '');
  const clientId = matching('SYNCLINE_OIDC_CLIENT_ID', /^[\x20-\x7e]{1,255}$/, 'of 1 to 255 printable characters');
  if (clientId !== undefined && (issuer === undefined || publicUrl === undefined))
    faults.push('SYNCLINE_OIDC_CLIENT_ID needs SYNCLINE_OIDC_ISSUER and SYNCLINE_PUBLIC_URL, to which the issuer sends people back');
  const signInScope = matching('SYNCLINE_OIDC_SIGN_IN_SCOPE', /(^| )openid( |$)/, 'words separated by spaces, with openid among them');
  const [tlsCert, tlsKey] = [text('SYNCLINE_TLS_CERT'), text('SYNCLINE_TLS_KEY')];
  if ((tlsCert === undefined) !== (tlsKey === undefined)) faults.push('SYNCLINE_TLS_CERT and SYNCLINE_TLS_KEY belong together: set both');
  const dataDir = resolve(text('SYNCLINE_DATA_DIR') as string);
  const config: Config = {
    role: matching('SYNCLINE_ROLE', new RegExp(`^(${ROLES.join('|')})$`), 'all, api or worker') as Role,
    host: text('HOST') as string,
    port: integer('PORT', 0, 65_535),
    metricsPort: text('SYNCLINE_METRICS_PORT') === undefined ? undefined : integer('SYNCLINE_METRICS_PORT', 0, 65_535),
    databaseUrl: matching('DATABASE_URL', /^postgres(ql)?:\/\//, 'of the form postgres://user:password@host:5432/database'),
    dataDir,
    adminKey: matching('SYNCLINE_ADMIN_KEY', /^[\x21-\x7e]{24,8192}$/, 'at least 24 printable characters without spaces'),
    logLevel: matching('LOG_LEVEL', /^(trace|debug|info|warn|error|silent)$/, 'trace, debug, info, warn, error or silent') as string,
    rateLimit: integer('SYNCLINE_RATE_LIMIT', 0, 10_000_000),
    wrongKeys: integer('SYNCLINE_WRONG_KEYS', 0, 1_000_000),
    sessionHours: integer('SYNCLINE_SESSION_HOURS', 1, 8760),
    currency: matching('SYNCLINE_CURRENCY', /^[A-Z]{3}$/, 'an ISO 4217 code such as EUR') as string,
    oidc:
      issuer === undefined
        ? undefined
        : { issuer, audience: text('SYNCLINE_OIDC_AUDIENCE') as string, scopeClaim: text('SYNCLINE_OIDC_SCOPE_CLAIM') as string },
    oidcSignIn:
      clientId === undefined
        ? undefined
        : {
            clientId,
            clientSecret: text('SYNCLINE_OIDC_CLIENT_SECRET'),
            scope: signInScope as string,
            name: matching('SYNCLINE_OIDC_NAME', /^.{1,100}$/u, 'of at most 100 characters') ?? URL.parse(issuer ?? '')?.host ?? '',
          },
    poolSize: integer('SYNCLINE_DB_POOL', 2, 1000),
    maxInFlight: integer('SYNCLINE_MAX_IN_FLIGHT', 1, 1_000_000),
    maxConnections: integer('SYNCLINE_MAX_CONNECTIONS', 10, 1_000_000),
    tls: tlsCert === undefined || tlsKey === undefined ? undefined : { cert: resolve(tlsCert), key: resolve(tlsKey) },
    trustedProxies: understood('SYNCLINE_TRUSTED_PROXIES', rangesOf),
    secretKeys: understood('SYNCLINE_SECRET_KEY', parseKeyring),
    networks: understood('SYNCLINE_NETWORKS', reachOf) as string,
    fileRoots: text('SYNCLINE_FILE_ROOTS')
      ?.split(',')
      .map((folder) => resolve(folder.trim())) ?? [join(dataDir, FILES_FOLDER)],
    maxRuns: integer('SYNCLINE_MAX_RUNS', 0, 256),
    runsPerSource: integer('SYNCLINE_RUNS_PER_SOURCE', 1, 1000),
    runsPerKey: text('SYNCLINE_RUNS_PER_KEY') === undefined ? undefined : integer('SYNCLINE_RUNS_PER_KEY', 1, 256),
    sourcesPerKey: integer('SYNCLINE_SOURCES_PER_KEY', 0, 999_999_999),
    syncsPerKey: integer('SYNCLINE_SYNCS_PER_KEY', 0, 999_999_999),
    webhooksPerKey: integer('SYNCLINE_WEBHOOKS_PER_KEY', 0, 999_999_999),
    alertsPerKey: integer('SYNCLINE_ALERTS_PER_KEY', 0, 999_999_999),
    streamsPerRun: integer('SYNCLINE_STREAMS_PER_RUN', 1, 64),
    splitRows: text('SYNCLINE_SPLIT_ROWS') === undefined ? undefined : integer('SYNCLINE_SPLIT_ROWS', 0, 999_999_999),
    runMemory: integer('SYNCLINE_RUN_MEMORY', 64, 65_536),
    runDays: integer('SYNCLINE_RUN_DAYS', 1, 36_500),
    logDays: integer('SYNCLINE_LOG_DAYS', 1, 36_500),
    publicUrl,
    hookDays: integer('SYNCLINE_HOOK_DAYS', 1, 36_500),
    customerDays: text('SYNCLINE_CUSTOMER_DAYS') === undefined ? undefined : integer('SYNCLINE_CUSTOMER_DAYS', 1, 36_500),
    traces: tracesUrl === undefined ? undefined : tracesTo(tracesUrl),
    configFiles: text('SYNCLINE_CONFIG'),
    variable: (name) => environment[name],
    url: matching('SYNCLINE_URL', /^https?:\/\//, 'an http or https URL'),
    key: text('SYNCLINE_KEY'),
  };
  for (const name of Object.keys(environment)) {
    const isSetting = Object.hasOwn(SETTINGS, name) || SERVICE_LINK.test(`${name}=${environment[name]}`);
    if (name.startsWith('SYNCLINE_') && !isSetting) faults.push(`${name} is not a setting of Syncline`);
  }
  if (faults.length > 0)
    throw new ConfigError(`The settings (environment variables) are not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  return Object.freeze(config);
}

function demandWebAddress(given: string): void {
  const url = URL.parse(given);
  if (!/^https?:$/.test(url?.protocol ?? '') || url?.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error('must be an http or https URL without user, query and fragment, such as https://syncline.example.com');
}

function demandCollector(given: string): void {
  if (!/^https?:$/.test(URL.parse(given)?.protocol ?? '')) throw new Error('must be an http or https URL, such as http://collector:4318');
}

/** The configuration of a node that is about to start, in the role it is given on the command line or else by its setting. */
export function withRole(config: Config, given: string | undefined): Config {
  const role = given === undefined ? config.role : ROLES.find((one) => one === given);
  if (role === undefined) throw new ConfigError(`There is no role "${given}": choose ${ROLES.join(', ')}.`);
  if (role !== 'all' && config.databaseUrl === undefined) {
    throw new ConfigError(
      `The role ${role} is for nodes that share a PostgreSQL: set DATABASE_URL. On SQLite one process does everything; leave the role out.`,
    );
  }
  if (role === 'worker' && config.maxRuns === 0)
    throw new ConfigError('A worker that may run nothing has nothing to do: set SYNCLINE_MAX_RUNS to 1 or more.');
  return Object.freeze({ ...config, role });
}
