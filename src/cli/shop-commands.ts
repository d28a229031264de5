import type { CliCommand } from './command.ts';

/** Those of the shop. */
export const SHOP_COMMANDS: Readonly<Record<string, CliCommand>> = {
  orders: {
    form: 'orders find|show|create|ship|refund|import|export|…',
    about: 'find, make and change orders of a running service, bring in those of another, or take them out',
    usage: `syncline orders find [--q <words>] [--status <status,status>] [--customer <id>] [--external-id <id>] [--product <id>] [--currency <EUR>]
      [--channel <channel>] [--tag <tag>] [--from <time>] [--to <time>] [--placed-from <time>] [--placed-to <time>] [--updated-since <time>]
      [--sort=<-total>] [--limit <orders>] [--json]
  syncline orders show <order> [--json]
  syncline orders create --order <file, - or JSON> [--idempotency-key <key>] [--json]
  syncline orders update <order> --changes <file, - or JSON> [--json]
  syncline orders move <order> <status> [--reason <why>] [--restock] [--json]
  syncline orders ship <order> [--line <line or line=quantity>]… [--carrier <name>] [--tracking <number>] [--tracking-url <URL>] [--location <location>]
      [--idempotency-key <key>] [--json]
  syncline orders return <order> [--line <line or line=quantity>]… [--reason <why>] [--restock] [--location <location>] [--idempotency-key <key>] [--json]
  syncline orders refund <order> [--line <line or line=quantity>]… [--amount <amount>] [--reason <why>] [--restock] [--location <location>]
      [--idempotency-key <key>] [--json]
  syncline orders import <file, or -> [--idempotency-key <key>] [--json]
  syncline orders export [--format csv|jsonl|parquet] [--rows orders|lines] [--out <file>] [--q <words>] [--status <status,status>] [--customer <id>]
      [--external-id <id>] [--product <id>] [--currency <EUR>] [--channel <channel>] [--tag <tag>] [--from <time>] [--to <time>]
      [--placed-from <time>] [--placed-to <time>] [--updated-since <time>]
  An order is called by its id, or by its external id. Lines are counted from 1. An import reads an order on each line (NDJSON); what is refused is told with its line, and the exit code is then 3.`,
    examples: {
      find: 'syncline orders find --q smith --status new,processing',
      show: 'syncline orders show SHOP-4711',
      create: 'syncline orders create --order order.json --idempotency-key cart-4711',
      update: `syncline orders update ord_01kfa0v2m3f8rb4v3k7m2t9xqe --changes '{"note": "Leave it at the door."}'`,
      move: "syncline orders move ord_01kfa0v2m3f8rb4v3k7m2t9xqe cancelled --reason 'Ordered twice'",
      ship: "syncline orders ship ord_01kfa0v2m3f8rb4v3k7m2t9xqe --line 1=2 --carrier 'Parcel Post' --tracking PP-4711",
      return: "syncline orders return ord_01kfa0v2m3f8rb4v3k7m2t9xqe --line 1 --reason 'The handle is broken' --restock",
      refund: "syncline orders refund ord_01kfa0v2m3f8rb4v3k7m2t9xqe --amount 4.50 --reason 'The handle is broken'",
      import: 'syncline orders import history.ndjson --idempotency-key old-shop',
      export: 'syncline orders export --format parquet --out orders.parquet --from 2026-01-01',
    },
    load: async () => (await import('./orders.ts')).orders,
  },
  customers: {
    form: 'customers list|show|orders|erase|erasures',
    about: 'see those who ordered of a running service, or erase a person',
    usage: `syncline customers list [--limit <customers>] [--json]
  syncline customers show <id> [--json]
  syncline customers orders <id> [--limit <orders>] [--json]
  syncline customers erase <id> --yes [--json]
  syncline customers erasures [--json]
  An erasure cannot be taken back. Without --yes it says what it would do, and does nothing.`,
    examples: {
      list: 'syncline customers list --limit 20',
      show: 'syncline customers show c-4711',
      orders: 'syncline customers orders c-4711',
      erase: 'syncline customers erase c-4711 --yes',
      erasures: 'syncline customers erasures',
    },
    load: async () => (await import('./customers.ts')).customers,
  },
  products: {
    form: 'products find|show|put|update|import|delete',
    about: 'find, put and change products of a running service',
    usage: `syncline products find [--q <text>] [--category <name>] [--limit <products>] [--json]
  syncline products show <id> [--json]
  syncline products put --product <file, - or JSON> [--json]
  syncline products update <id> --changes <file, - or JSON> [--json]
  syncline products import <file, or -> [--json]
  syncline products delete <id> [--json]
  An import reads a product on each line (NDJSON); what is refused is told with its line, and the exit code is then 3.`,
    examples: {
      find: 'syncline products find --q mug',
      show: 'syncline products show mug-1',
      put: `syncline products put --product '{"product_id": "mug-1", "name": "Mug", "price": 4.5, "stock_quantity": 10}'`,
      update: `syncline products update mug-1 --changes '{"price": 5}'`,
      import: 'syncline products import products.ndjson',
      delete: 'syncline products delete mug-1',
    },
    load: async () => (await import('./products.ts')).products,
  },
  stock: {
    form: 'stock show|move|count',
    about: 'see the stock of a product with its ledger, add to it, take away, or count',
    usage: `syncline stock show <product> [--location <location>] [--limit <movements>] [--json]
  syncline stock move <product> --add <units> | --take <units> [--location <location>] [--reason <why>] [--json]
  syncline stock count <product> <units in all> [--as-of <time>] [--json]`,
    examples: {
      show: 'syncline stock show mug-1',
      move: 'syncline stock move mug-1 --take 2 --reason broken',
      count: 'syncline stock count mug-1 40',
    },
    load: async () => (await import('./stock.ts')).stock,
  },
};
