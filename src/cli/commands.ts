import type { CliCommand } from './command.ts';
import { SHOP_COMMANDS } from './shop-commands.ts';

/** All there are, in the order in which they are shown. */
export const COMMANDS: Readonly<Record<string, CliCommand>> = {
  start: {
    form: 'start',
    about: 'run the service',
    usage: 'syncline start [--role all|api|worker]',
    examples: {
      start: 'syncline start --role worker',
    },
    load: async () => {
      await (await import('./service/load-in-steps.ts')).loadInSteps();
      return (await import('./start.ts')).start;
    },
  },
  keys: {
    form: 'keys create|list|show|rotate|revoke',
    about: 'create and manage the keys of a running service',
    usage: `syncline keys create --name <name> --scopes <scope,scope> [--expires-at <time>] [--rate-limit <requests a second>] [--json]
  syncline keys list [--json]
  syncline keys show <id> [--json]
  syncline keys rotate <id> [--overlap-seconds <seconds>] [--json]
  syncline keys revoke <id> [--json]`,
    examples: {
      create: "syncline keys create --name 'web shop' --scopes orders:write,products:read",
      list: 'syncline keys list',
      show: 'syncline keys show key_01kfa0v2m3f8rb4v3k7m2t9xqe',
      rotate: 'syncline keys rotate key_01kfa0v2m3f8rb4v3k7m2t9xqe --overlap-seconds 3600',
      revoke: 'syncline keys revoke key_01kfa0v2m3f8rb4v3k7m2t9xqe',
    },
    load: async () => (await import('./keys.ts')).keys,
  },
  sources: {
    form: 'sources add|list|show|check|streams|sample|…',
    about: 'add data sources to a running service and look into them',
    usage: `syncline sources add --name <name> --type <connector> [--config <file, - or JSON>] [--set <name=value>]… [--no-check | --keep] [--json]
  syncline sources list [--json]
  syncline sources show <id or name> [--json]
  syncline sources check <id or name> [--json]
  syncline sources streams <id or name> [--json]
  syncline sources sample <id or name> <stream> [--limit <rows>] [--json]
  syncline sources update <id or name> [--name <name>] [--config <file, - or JSON>] [--set <name=value>]… [--no-check] [--json]
  syncline sources delete <id or name> [--json]
  A source that cannot be used is not kept: with --keep it is, to be mended later. --no-check does not try it at all. An update changes
  what is given; of the configuration too, where it is given by --set.`,
    examples: {
      add: 'syncline sources add --name shop --type postgres --config shop.json',
      list: 'syncline sources list',
      show: 'syncline sources show shop',
      check: 'syncline sources check shop',
      streams: 'syncline sources streams shop',
      sample: 'syncline sources sample shop public.customers --limit 5',
      update: "syncline sources update shop --name 'shop (old)'",
      delete: "syncline sources delete 'shop (old)'",
    },
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
    examples: {
      list: 'syncline connectors list live',
      show: 'syncline connectors show postgres',
      try: 'syncline connectors try manifest.yaml --stream customers --limit 5',
    },
    load: async () => (await import('./connectors.ts')).connectors,
  },
  syncs: {
    form: 'syncs create|list|show|update|pause|resume|…',
    about: 'create and manage synchronizations of a running service',
    usage: `syncline syncs create --name <name> --source <id or name> --target <id or name> --stream <stream or stream=target>…
      [--mode mirror|incremental|append|cdc] [--key <field,field>] [--cursor <field>]
      [--every <15m> | --cron <expression> [--timezone <zone>] | --on-change | --after <synchronization>] [--expect-every <1h>]
      [--structure data|full] [--definition <file, - or JSON>] [--json]
  syncline syncs list [--json]
  syncline syncs show <id or name> [--json]
  syncline syncs update <id or name> [--name <name>] [--every <15m> | --cron <expression> [--timezone <zone>] | --on-change | --after <synchronization> | --manual]
      [--expect-every <1h>] [--structure data|full] [--definition <file, - or JSON>] [--json]
  syncline syncs pause <id or name> [--json]
  syncline syncs resume <id or name> [--json]
  syncline syncs reset <id or name> [--stream <stream>]… [--json]
  syncline syncs runs <id or name> [--status <status>] [--limit <runs>] [--json]
  syncline syncs versions <id or name> [--json]
  syncline syncs restore <id or name> <version> [--json]
  syncline syncs delete <id or name> [--json]
  A reset has streams, or all of them, read anew by the next run. A definition has the members that change; \`streams\` are all or none. What it has when one is created need not be named besides.`,
    examples: {
      create: 'syncline syncs create --name nightly --source shop --target warehouse --stream public.customers --mode mirror --every 15m',
      list: 'syncline syncs list',
      show: 'syncline syncs show nightly',
      update: 'syncline syncs update nightly --every 1h',
      pause: 'syncline syncs pause nightly',
      resume: 'syncline syncs resume nightly',
      reset: 'syncline syncs reset nightly --stream public.customers',
      runs: 'syncline syncs runs nightly --limit 5',
      versions: 'syncline syncs versions nightly',
      restore: 'syncline syncs restore nightly 3',
      delete: 'syncline syncs delete nightly',
    },
    load: async () => (await import('./syncs.ts')).syncs,
  },
  hooks: {
    form: 'hooks create|list|show|update|calls|rotate|delete',
    about: 'manage the addresses of a running service that other systems call',
    usage: `syncline hooks create --name <name> --scheme standard|shopify|woocommerce|stripe|github|secret|token [--secret <secret>]
      [--header <name>] [--sync <id or name>] [--json]
  syncline hooks list [--json]
  syncline hooks show <id or name> [--json]
  syncline hooks update <id or name> [--name <name>] [--definition <file, - or JSON>] [--json]
  syncline hooks calls <id or name> [--limit <calls>] [--json]
  syncline hooks rotate <id or name> [--overlap-seconds <seconds>] [--secret <secret>] [--json]
  syncline hooks delete <id or name> [--json]`,
    examples: {
      create: 'syncline hooks create --name orders --scheme token --sync nightly',
      list: 'syncline hooks list',
      show: 'syncline hooks show orders',
      update: `syncline hooks update orders --definition '{"sync_id": null}'`,
      calls: 'syncline hooks calls orders --limit 5',
      rotate: 'syncline hooks rotate orders --overlap-seconds 3600',
      delete: 'syncline hooks delete orders',
    },
    load: async () => (await import('./hooks.ts')).hooks,
  },
  run: {
    form: 'run <sync>',
    about: 'start a synchronization and watch it',
    usage: `syncline run <id or name> [--full | --preview] [--stream <stream>]… [--no-wait] [--json]
  The exit code is 0 when it succeeded, 3 when rows were rejected, 4 when it waits for approval, 1 otherwise.`,
    examples: {
      run: 'syncline run nightly --full',
    },
    load: async () => (await import('./run.ts')).run,
  },
  runs: {
    form: 'runs list|show|cancel|approve',
    about: 'see what synchronizations have done and are doing, end a run, or approve one that waits for it',
    usage: `syncline runs list [--sync <id or name>] [--status <status>] [--ended-from <time>] [--ended-to <time>] [--writing] [--limit <runs>] [--json]
  syncline runs show <run> [--json]
  syncline runs cancel <run> [--json]
  syncline runs approve <run> [--json]`,
    examples: {
      list: 'syncline runs list --status failed --ended-from 2026-11-01T00:00:00Z --writing',
      show: 'syncline runs show run_01kfa0v2m3f8rb4v3k7m2t9xqe',
      cancel: 'syncline runs cancel run_01kfa0v2m3f8rb4v3k7m2t9xqe',
      approve: 'syncline runs approve run_01kfa0v2m3f8rb4v3k7m2t9xqe',
    },
    load: async () => (await import('./runs.ts')).runs,
  },
  rejects: {
    form: 'rejects list|retry',
    about: 'see the rows that could not be written, and try them again',
    usage: `syncline rejects list <synchronization or run> [--stream <stream>] [--status <status>] [--limit <rows>] [--json]
  syncline rejects retry <synchronization or run> [--json]`,
    examples: { list: 'syncline rejects list nightly --stream public.customers', retry: 'syncline rejects retry nightly' },
    load: async () => (await import('./rejects.ts')).rejects,
  },
  events: {
    form: 'events',
    about: 'show what has changed, in the order in which it did',
    usage: `syncline events [--after <sequence>] [--types <order.*,product.updated>] [--limit <events>] [--json]
  Each event has a sequence; the last one that was shown is where --after goes on.`,
    examples: { events: "syncline events --after 4711 --types 'order.*' --json" },
    load: async () => (await import('./events.ts')).events,
  },
  audit: {
    form: 'audit',
    about: 'show who has changed what',
    usage: 'syncline audit [--object <id>] [--actor <key>] [--action <action>] [--limit <entries>] [--json]',
    examples: { audit: 'syncline audit --action key.created' },
    load: async () => (await import('./audit.ts')).audit,
  },
  undo: {
    form: 'undo <run>',
    about: 'take back what a run has written, row by row',
    usage: `syncline undo <run> [--preview] [--json]
  --preview shows what would be restored, removed and left, and changes nothing. The synchronization is paused with it.`,
    examples: {
      undo: 'syncline undo run_01kfa0v2m3f8rb4v3k7m2t9xqe --preview',
    },
    load: async () => (await import('./undo.ts')).undo,
  },
  verify: {
    form: 'verify <sync>',
    about: 'compare both ends of a synchronization, and repair what differs',
    usage: `syncline verify <id or name> [--repair | --repair-preview] [--stream <stream>]… [--json]
  syncline verify <id or name> --history [--json]
  The exit code is 0 when both ends are equal, 5 when they differ, 6 when rows that differ keep changing, 4 when a repair waits for approval, 1 otherwise.`,
    examples: {
      verify: 'syncline verify nightly --repair-preview',
    },
    load: async () => (await import('./verify.ts')).verify,
  },
  logs: {
    form: 'logs [-f]',
    about: 'show the logs of synchronizations',
    usage: `syncline logs [-f] [--sync <id or name>] [--run <id>] [--source <id or name>] [--level debug|info|warn|error]
      [--since <15m, 2h, 7d or a time>] [--q <words>] [--limit <entries>] [--json]`,
    examples: {
      logs: 'syncline logs -f --sync nightly --level warn',
    },
    load: async () => (await import('./logs.ts')).logs,
  },
  alerts: {
    form: 'alerts add|list|show|update|test|messages|…',
    about: 'say who is told when something goes wrong, and see what is wrong',
    usage: `syncline alerts add --name <name> --rule <rule or rule=number>… [--sync <id or name>]… [--remind <4h>]
      (--email <address,address> --smtp <smtp://user:password@host:587> --from <address>
       | --slack <url> | --teams <url> | --discord <url> | --mattermost <url> | --webhook <url>)
      [--quiet <22:00-07:00> [--timezone <zone>]] [--json]
  Rules: failing, needs_approval, rejects, differs, late, lag=<seconds>, schema_changed, endpoint_paused, disk_full, key_expires.
  syncline alerts list [--json]
  syncline alerts show <id or name> [--json]
  syncline alerts update <id or name> [--name <name>] [--definition <file, - or JSON>] [--json]
  syncline alerts test <id or name> [--json]
  syncline alerts messages <id or name> [--json]
  syncline alerts incidents [--all] [--json]
  syncline alerts delete <id or name> [--json]`,
    examples: {
      add: 'syncline alerts add --name office --rule failing --rule late --slack https://hooks.slack.example/T/B/x',
      list: 'syncline alerts list',
      show: 'syncline alerts show office',
      update: `syncline alerts update office --definition '{"remind_every": "4h"}'`,
      test: 'syncline alerts test office',
      messages: 'syncline alerts messages office',
      incidents: 'syncline alerts incidents --all',
      delete: 'syncline alerts delete office',
    },
    load: async () => (await import('./alerts.ts')).alerts,
  },
  webhooks: {
    form: 'webhooks add|list|show|test|deliveries|replay|…',
    about: 'add endpoints that events are posted to, and look after what was sent',
    usage: `syncline webhooks add --name <name> --url <address> [--types <order.*,product.updated>] [--condition <CEL>] [--header <Name: value>]…
      [--thin] [--ed25519] [--max-in-flight <1 to 64>] [--rate <a second>] [--from start|<sequence>] [--json]
  syncline webhooks list [--json]
  syncline webhooks show <id or name> [--json]
  syncline webhooks update <id or name> [--name <name>] [--definition <file, - or JSON>] [--json]
  syncline webhooks test <id or name> [--json]
  syncline webhooks deliveries <id or name> [--status waiting|delivered|failed] [--type <type>] [--object <id>] [--limit <number>] [--json]
  syncline webhooks replay <id or name> --message <evt_…> | --from <time> --to <time> | --failed [--json]
  syncline webhooks pause <id or name> [--json]
  syncline webhooks resume <id or name> [--json]
  syncline webhooks rotate <id or name> [--overlap-seconds <seconds>] [--json]
  syncline webhooks delete <id or name> [--json]`,
    examples: {
      add: "syncline webhooks add --name erp --url https://erp.example/in --types 'order.*'",
      list: 'syncline webhooks list',
      show: 'syncline webhooks show erp',
      update: `syncline webhooks update erp --definition '{"types": ["order.created"]}'`,
      test: 'syncline webhooks test erp',
      deliveries: 'syncline webhooks deliveries erp --status failed',
      replay: 'syncline webhooks replay erp --failed',
      pause: 'syncline webhooks pause erp',
      resume: 'syncline webhooks resume erp',
      rotate: 'syncline webhooks rotate erp --overlap-seconds 3600',
      delete: 'syncline webhooks delete erp',
    },
    load: async () => (await import('./webhooks.ts')).webhooks,
  },
  listen: {
    form: 'listen <port or URL>',
    about: 'post events to a program on this machine, to develop a receiver of webhooks',
    usage: `syncline listen <port, port/path or URL> [--types <order.*,product.updated>] [--from start|<sequence>] [--thin] [--secret <whsec_…>] [--json]
  Each event is posted as a webhook would be, signed with a secret that is printed, one after the other; a line tells each answer. Nothing is tried again.`,
    examples: {
      listen: "syncline listen 3000/hook --types 'order.*'",
    },
    load: async () => (await import('./listen.ts')).listen,
  },
  export: {
    form: 'export [<file>]',
    about: 'write sources, synchronizations, webhooks, alerts and keys into YAML files',
    usage: `syncline export [<file or folder>] [--state <file>]
  Without a file it goes to standard output. A file that is there is updated: its comments stay. Secrets are references, and it says which variables to set.
  --state writes the positions of synchronizations too; none may run then.`,
    examples: { export: 'syncline export syncline.yaml' },
    load: async () => (await import('./configuration/export.ts')).exportConfiguration,
  },
  lint: {
    form: 'lint <file>…',
    about: 'check configuration files, without a service',
    usage: `syncline lint <file or folder>… [--json]
  It names file, line and what was meant. The exit code is 0 when nothing is wrong, 1 otherwise.`,
    examples: { lint: 'syncline lint syncline.yaml' },
    load: async () => (await import('./configuration/lint.ts')).lintConfiguration,
  },
  plan: {
    form: 'plan <file>…',
    about: 'show what configuration files would change, and what that means for the data',
    usage: `syncline plan <file or folder>… [--prune] [--state <file>] [--json]
  Nothing is changed. The exit code is 0 when there is nothing to change, 8 when there is, 1 otherwise.`,
    examples: { plan: 'syncline plan syncline.yaml' },
    load: async () => (await import('./configuration/plan.ts')).planConfiguration,
  },
  apply: {
    form: 'apply <file>…',
    about: 'make a running service as configuration files say, all of it or nothing',
    usage: `syncline apply <file or folder>… [--prune] [--state <file>] [--digest <digest>] [--json]
  What is there already is taken over by its name. --prune deletes what the files do not name, in the sections that they have. --state lets synchronizations
  that are new here go on where another installation has stopped. --digest applies a plan only if it is still the one that was looked at.`,
    examples: { apply: 'syncline apply syncline.yaml --prune' },
    load: async () => (await import('./configuration/apply.ts')).applyFiles,
  },
  ...SHOP_COMMANDS,
  api: {
    form: 'api <path>',
    about: 'send any request to a running service, and show the answer as it is',
    usage: `syncline api <path> [--method GET|POST|PUT|PATCH|DELETE] [--body <file, - or JSON>] [--header <Name: value>]…
  With a body it is POST when nothing else is said. The exit code is 0 when the service answers with success, 1 otherwise.`,
    examples: { api: 'syncline api /api/v1/orders?limit=1' },
    load: async () => (await import('./api.ts')).api,
  },
  whoami: {
    form: 'whoami',
    about: 'show which key is used, and what it may do',
    usage: 'syncline whoami [--json]',
    examples: { whoami: 'syncline whoami' },
    load: async () => (await import('./whoami.ts')).whoami,
  },
  completion: {
    form: 'completion bash|zsh|fish',
    about: 'print what makes a shell complete commands and options',
    usage: 'syncline completion bash|zsh|fish',
    examples: { completion: 'source <(syncline completion bash)' },
    load: async () => {
      const { completion } = await import('./completion.ts');
      return (args) => completion(args, COMMANDS);
    },
  },
  nodes: {
    form: 'nodes',
    about: 'list the nodes that share the database, and what they run',
    usage: 'syncline nodes [--json]',
    examples: {
      nodes: 'syncline nodes',
    },
    load: async () => (await import('./nodes.ts')).nodes,
  },
  prove: {
    form: 'prove',
    about: 'see for yourself that nothing is lost: two databases of its own, a source that changes, kills, and a report',
    usage: `syncline prove [--source <postgres://… or mysql://…>] [--target <postgres://… or mysql://…>] [--rows <number>] [--kills <number>]
      [--seconds <number>] [--seed <word>] [--report <file.md, .json or .txt>] [--json]
  It makes the databases syncline_prove_source and syncline_prove_target there (without an address: files of SQLite), starts a service of its
  own, and removes all of it in the end. The exit code is 0 when both ends are equal, 1 otherwise.`,
    examples: {
      prove: 'syncline prove --rows 100000 --kills 5',
    },
    load: async () => (await import('./prove.ts')).prove,
  },
  demo: {
    form: 'demo',
    about: 'fill the database with sample orders and products',
    usage: 'syncline demo [--orders <number>] [--products <number>] [--seed <word>] [--add]',
    examples: {
      demo: 'syncline demo --orders 500',
    },
    load: async () => (await import('./demo.ts')).demo,
  },
  backup: {
    form: 'backup <file>',
    about: 'write everything into one file, also while the service runs',
    usage: 'syncline backup <file> [--force]',
    examples: {
      backup: 'syncline backup syncline.backup',
    },
    load: async () => (await import('./backup.ts')).backup,
  },
  restore: {
    form: 'restore <file>',
    about: 'fill an empty database from such a file, on either engine',
    usage: 'syncline restore <file>',
    examples: {
      restore: 'syncline restore syncline.backup',
    },
    load: async () => (await import('./restore.ts')).restore,
  },
};
