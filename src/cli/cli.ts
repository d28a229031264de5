import { ConfigError, readConfig } from '../config.ts';
import { AppError } from '../lib/errors.ts';
import { VERSION } from '../version.ts';
import type { CliCommand } from './command.ts';
import { COMMANDS } from './commands.ts';
import { CliError, UsageError } from './errors.ts';

interface CliCommand {
  /** How to call it, in short. */
  form: string;
  about: string;
  /** Every way to call it, with all options. */
  usage: string;
  /** Loads the command, so that none pays for the others. */
  load: () => Promise<(args: string[], config: Config) => Promise<number>>;
}

const COMMANDS: Record<string, CliCommand> = {
  start: {
    form: 'start',
    about: 'run the service',
    usage: 'syncline start [--role all|api|worker]',
    load: async () => (await import('./start.ts')).start,
  },
  keys: {
    form: 'keys create|list|rotate|revoke',
    about: 'create and manage the keys of a running service',
    usage: `syncline keys create --name <name> --scopes <scope,scope> [--expires-at <time>] [--rate-limit <requests a second>] [--json]
  syncline keys list [--json]
  syncline keys rotate <id> [--overlap-seconds <seconds>] [--json]
  syncline keys revoke <id> [--json]`,
    load: async () => (await import('./keys.ts')).keys,
  },
  sources: {
    form: 'sources add|list|check|streams|sample',
    about: 'add data sources to a running service and look into them',
    usage: `syncline sources add --name <name> --type <connector> [--config <file, - or JSON>] [--set <name=value>]… [--no-check] [--json]
  syncline sources list [--json]
  syncline sources check <id or name> [--json]
  syncline sources streams <id or name> [--json]
  syncline sources sample <id or name> <stream> [--limit <rows>] [--json]`,
    load: async () => (await import('./sources.ts')).sources,
  },
  connectors: {
    form: 'connectors list|show|try',
    about: 'see what a running service can connect to, and try a manifest of Airbyte',
    usage: `syncline connectors list [<word>]… [--json]
  syncline connectors show <connector> [--json]
  syncline connectors try <manifest file, or -> [--settings <file, - or JSON>] [--stream <stream>] [--limit <records>] [--json]
  The words are names, products, formats and abilities, such as "live" or "S3". \`try\` says which streams of the manifest can be read, and reads the first
  records of one; nothing is stored. The exit code is 1 when it does not work.`,
    load: async () => (await import('./connectors.ts')).connectors,
  },
  syncs: {
    form: 'syncs create|list|show|pause|resume',
    about: 'create and manage synchronizations of a running service',
    usage: `syncline syncs create --name <name> --source <id or name> --target <id or name> --stream <stream or stream=target>…
      [--mode mirror|incremental|append] [--key <field,field>] [--cursor <field>]
      [--every <15m> | --cron <expression> [--timezone <zone>] | --on-change | --after <synchronization>] [--expect-every <1h>]
      [--definition <file, - or JSON>] [--json]
  syncline syncs list [--json]
  syncline syncs show <id or name> [--json]
  syncline syncs pause <id or name> [--json]
  syncline syncs resume <id or name> [--json]`,
    load: async () => (await import('./syncs.ts')).syncs,
  },
  hooks: {
    form: 'hooks create|list|calls|rotate|delete',
    about: 'manage the addresses of a running service that other systems call',
    usage: `syncline hooks create --name <name> --scheme standard|shopify|woocommerce|stripe|github|secret|token [--secret <secret>]
      [--header <name>] [--sync <id or name>] [--json]
  syncline hooks list [--json]
  syncline hooks calls <id or name> [--limit <calls>] [--json]
  syncline hooks rotate <id or name> [--overlap-seconds <seconds>] [--secret <secret>] [--json]
  syncline hooks delete <id or name> [--json]`,
    load: async () => (await import('./hooks.ts')).hooks,
  },
  run: {
    form: 'run <sync>',
    about: 'start a synchronization and watch it',
    usage: `syncline run <id or name> [--full | --preview] [--stream <stream>]… [--no-wait] [--json]
  The exit code is 0 when it succeeded, 3 when rows were rejected, 4 when it waits for approval, 1 otherwise.`,
    load: async () => (await import('./run.ts')).run,
  },
  undo: {
    form: 'undo <run>',
    about: 'take back what a run has written, row by row',
    usage: `syncline undo <run> [--preview] [--json]
  --preview shows what would be restored, removed and left, and changes nothing. The synchronization is paused with it.`,
    load: async () => (await import('./undo.ts')).undo,
  },
  verify: {
    form: 'verify <sync>',
    about: 'compare both ends of a synchronization, and repair what differs',
    usage: `syncline verify <id or name> [--repair | --repair-preview] [--stream <stream>]… [--json]
  syncline verify <id or name> --history [--json]
  The exit code is 0 when both ends are equal, 5 when they differ, 6 when rows that differ keep changing, 4 when a repair waits for approval, 1 otherwise.`,
    load: async () => (await import('./verify.ts')).verify,
  },
  logs: {
    form: 'logs [-f]',
    about: 'show the logs of synchronizations',
    usage: `syncline logs [-f] [--sync <id or name>] [--run <id>] [--source <id or name>] [--level debug|info|warn|error]
      [--since <15m, 2h, 7d or a time>] [--q <words>] [--limit <entries>] [--json]`,
    load: async () => (await import('./logs.ts')).logs,
  },
  alerts: {
    form: 'alerts add|list|test|messages|incidents|delete',
    about: 'say who is told when something goes wrong, and see what is wrong',
    usage: `syncline alerts add --name <name> --rule <rule or rule=number>… [--sync <id or name>]… [--remind <4h>]
      (--email <address,address> --smtp <smtp://user:password@host:587> --from <address>
       | --slack <url> | --teams <url> | --discord <url> | --mattermost <url> | --webhook <url>)
      [--quiet <22:00-07:00> [--timezone <zone>]] [--json]
  Rules: failing, needs_approval, rejects, differs, late, lag=<seconds>, schema_changed, endpoint_paused, disk_full, key_expires.
  syncline alerts list [--json]
  syncline alerts test <id or name> [--json]
  syncline alerts messages <id or name> [--json]
  syncline alerts incidents [--all] [--json]
  syncline alerts delete <id or name> [--json]`,
    load: async () => (await import('./alerts.ts')).alerts,
  },
  webhooks: {
    form: 'webhooks add|list|show|test|deliveries|replay|…',
    about: 'add endpoints that events are posted to, and look after what was sent',
    usage: `syncline webhooks add --name <name> --url <address> [--types <order.*,product.updated>] [--condition <CEL>] [--header <Name: value>]…
      [--thin] [--ed25519] [--max-in-flight <1 to 64>] [--rate <a second>] [--from start|<sequence>] [--json]
  syncline webhooks list [--json]
  syncline webhooks show <id or name>
  syncline webhooks test <id or name> [--json]
  syncline webhooks deliveries <id or name> [--status waiting|delivered|failed] [--type <type>] [--object <id>] [--limit <number>] [--json]
  syncline webhooks replay <id or name> --message <evt_…> | --from <time> --to <time> | --failed [--json]
  syncline webhooks pause <id or name> [--json]
  syncline webhooks resume <id or name> [--json]
  syncline webhooks rotate <id or name> [--overlap-seconds <seconds>] [--json]
  syncline webhooks delete <id or name> [--json]`,
    load: async () => (await import('./webhooks.ts')).webhooks,
  },
  listen: {
    form: 'listen <port or URL>',
    about: 'post events to a program on this machine, to develop a receiver of webhooks',
    usage: `syncline listen <port, port/path or URL> [--types <order.*,product.updated>] [--from start|<sequence>] [--thin] [--secret <whsec_…>] [--json]
  Each event is posted as a webhook would be, signed with a secret that is printed, one after the other; a line tells each answer. Nothing is tried again.`,
    load: async () => (await import('./listen.ts')).listen,
  },
  export: {
    form: 'export [<file>]',
    about: 'write sources, synchronizations, webhooks, alerts and keys into YAML files',
    usage: `syncline export [<file or folder>] [--state <file>]
  Without a file it goes to standard output. A file that is there is updated: its comments stay. Secrets are references, and it says which variables to set.
  --state writes the positions of synchronizations too; none may run then.`,
    load: async () => (await import('./configuration/export.ts')).exportConfiguration,
  },
  lint: {
    form: 'lint <file>…',
    about: 'check configuration files, without a service',
    usage: `syncline lint <file or folder>… [--json]
  It names file, line and what was meant. The exit code is 0 when nothing is wrong, 1 otherwise.`,
    load: async () => (await import('./configuration/lint.ts')).lintConfiguration,
  },
  plan: {
    form: 'plan <file>…',
    about: 'show what configuration files would change, and what that means for the data',
    usage: `syncline plan <file or folder>… [--prune] [--state <file>] [--json]
  Nothing is changed. The exit code is 0 when there is nothing to change, 8 when there is, 1 otherwise.`,
    load: async () => (await import('./configuration/plan.ts')).planConfiguration,
  },
  apply: {
    form: 'apply <file>…',
    about: 'make a running service as configuration files say, all of it or nothing',
    usage: `syncline apply <file or folder>… [--prune] [--state <file>] [--digest <digest>] [--json]
  What is there already is taken over by its name. --prune deletes what the files do not name, in the sections that they have. --state lets synchronizations
  that are new here go on where another installation has stopped. --digest applies a plan only if it is still the one that was looked at.`,
    load: async () => (await import('./configuration/apply.ts')).applyFiles,
  },
  orders: {
    form: 'orders find|show|export',
    about: 'find orders of a running service, or take them out as CSV, JSON Lines or Parquet',
    usage: `syncline orders find [--q <words>] [--status <status,status>] [--customer <id>] [--external-id <id>] [--product <id>] [--currency <EUR>]
      [--channel <channel>] [--tag <tag>] [--from <time>] [--to <time>] [--updated-since <time>] [--sort=<-total>] [--limit <orders>] [--json]
  syncline orders show <id>
  syncline orders export [--format csv|jsonl|parquet] [--rows orders|lines] [--out <file>] [the same filters]`,
    load: async () => (await import('./orders.ts')).orders,
  },
  customers: {
    form: 'customers list|show|erase',
    about: 'see those who ordered of a running service, or erase a person',
    usage: `syncline customers list [--limit <customers>] [--json]
  syncline customers show <id> [--json]
  syncline customers erase <id> --yes [--json]
  An erasure cannot be taken back. Without --yes it says what it would do, and does nothing.`,
    load: async () => (await import('./customers.ts')).customers,
  },
  products: {
    form: 'products find|show',
    about: 'find products of a running service',
    usage: `syncline products find [--q <text>] [--category <name>] [--limit <products>] [--json]
  syncline products show <id>`,
    load: async () => (await import('./products.ts')).products,
  },
  stock: {
    form: 'stock show|move|count',
    about: 'see the stock of a product with its ledger, add to it, take away, or count',
    usage: `syncline stock show <product> [--location <location>] [--limit <movements>] [--json]
  syncline stock move <product> --add <units> | --take <units> [--location <location>] [--reason <why>] [--json]
  syncline stock count <product> <units in all> [--as-of <time>] [--json]`,
    load: async () => (await import('./stock.ts')).stock,
  },
  nodes: {
    form: 'nodes',
    about: 'list the nodes that share the database, and what they run',
    usage: 'syncline nodes [--json]',
    load: async () => (await import('./nodes.ts')).nodes,
  },
  prove: {
    form: 'prove',
    about: 'see for yourself that nothing is lost: two databases of its own, a source that changes, kills, and a report',
    usage: `syncline prove [--source <postgres://… or mysql://…>] [--target <postgres://… or mysql://…>] [--rows <number>] [--kills <number>]
      [--seconds <number>] [--seed <word>] [--report <file.md, .json or .txt>] [--json]
  It makes the databases syncline_prove_source and syncline_prove_target there (without an address: files of SQLite), starts a service of its
  own, and removes all of it in the end. The exit code is 0 when both ends are equal, 1 otherwise.`,
    load: async () => (await import('./prove.ts')).prove,
  },
  demo: {
    form: 'demo',
    about: 'fill the database with sample orders and products',
    usage: 'syncline demo [--orders <number>] [--products <number>] [--seed <word>] [--add]',
    load: async () => (await import('./demo.ts')).demo,
  },
  backup: {
    form: 'backup <file>',
    about: 'write everything into one file, also while the service runs',
    usage: 'syncline backup <file> [--force]',
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    form: 'restore <file>',
    about: 'fill an empty database from such a file, on either engine',
    usage: 'syncline restore <file>',
    load: async () => (await import('./restore.ts')).restore,
  },
};

/** Runs one command of the command line; answers the exit code. */
export async function runCli(args: string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  if (['help', '--help', '-h'].includes(name)) return say(overview());
  if (['version', '--version', '-v'].includes(name)) return say(`${VERSION}\n`);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return complain(`There is no command "${name}".\n\n${overview()}`, 2);
  if (rest.includes('--help') || rest.includes('-h')) return say(helpOf(name, command, rest[0]));
  try {
    return await (await command.load())(rest, readConfig(process.env));
  } catch (error) {
    const failure = failureOf(error);
    if (!failure) throw error;
    if (rest.includes('--json')) return complain(asJson(failure), failure.exitCode);
    return complain(`${failure.message}\n${error instanceof UsageError ? usageOf(command) : ''}`, failure.exitCode);
  }
}

/** What is meant to be read; undefined for what is our own bug. */
function failureOf(error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  if (error instanceof ConfigError) return new CliError(error.message, 2, { code: 'CONFIG', details: {} });
  if (error instanceof AppError) return new CliError(error.message, 1, { code: error.code, details: error.details });
  return undefined;
}

function usageOf({ usage }: CliCommand): string {
  return `\nUsage:\n  ${usage}\n`;
}

/** As the API tells of failures. */
function asJson({ message, told: { code, details } }: CliError): string {
  return `${JSON.stringify({ success: false, error: { code, message, details } })}\n`;
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function complain(text: string, exitCode: number): number {
  process.stderr.write(text);
  return exitCode;
}
