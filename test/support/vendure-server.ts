// Vendure as its users start it, with five articles, a way to pay and one to ship: a process of its own, told by its environment where it is installed and what to use.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Of Vendure's own modules, what is used here. */
interface VendureCore {
  bootstrap: (config: object) => Promise<unknown>;
  dummyPaymentHandler: { code: string };
}
interface VendureCli {
  populate: (bootstrap: () => Promise<unknown>, initialData: object, productsFile: string) => Promise<unknown>;
}

// It would call home otherwise.
process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';
const { VENDURE_HOME: home = '', VENDURE_DATABASE: url = '', VENDURE_PORT: port = '', VENDURE_PASSWORD: password = '' } = process.env;
const { VENDURE_STOCK: stock = '10' } = process.env;
const requireFrom = createRequire(join(home, 'package.json'));
const { bootstrap, dummyPaymentHandler } = requireFrom('@vendure/core') as VendureCore;
const { populate } = requireFrom('@vendure/core/cli') as VendureCli;

const HEADER =
  'name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets';
const articles = [1, 2, 3, 4, 5].map((n) => `Thing ${n},thing-${n},A thing,,,,,SKU-${n},${n}.00,standard,${stock},true,,`);

const config = {
  apiOptions: { hostname: '127.0.0.1', port: Number(port) },
  authOptions: { tokenMethod: ['bearer'], superadminCredentials: { identifier: 'sync', password } },
  dbConnectionOptions: { type: 'postgres', synchronize: true, url },
  paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
};
const initialData = {
  defaultLanguage: 'en',
  defaultZone: 'Europe',
  taxRates: [{ name: 'Standard Tax', percentage: 20 }],
  countries: [{ name: 'Austria', code: 'AT', zone: 'Europe' }],
  shippingMethods: [{ name: 'Post', price: 490 }],
  paymentMethods: [{ name: 'Card', handler: { code: dummyPaymentHandler.code, arguments: [{ name: 'automaticSettle', value: 'true' }] } }],
  collections: [],
};

const file = join(process.cwd(), 'articles.csv');
writeFileSync(file, `${[HEADER, ...articles].join('\n')}\n`);
await populate(() => bootstrap(config), initialData, file);
console.log('ready');
