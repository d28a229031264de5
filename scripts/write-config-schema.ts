// `npm run config:schema`: writes the schema of configuration files, as the service serves it at /config.schema.json.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configJsonSchema } from '../src/configuration/json-schema.ts';

const target = fileURLToPath(new URL('../docs/config.schema.json', import.meta.url));
writeFileSync(target, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
