import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { type ConfigDocument, SECTIONS, type Section } from '../../configuration/document.ts';
import { type ConfigFiles, readConfigFiles } from '../../configuration/files.ts';
import { lint } from '../../configuration/lint.ts';
import { hasReference, resolved } from '../../configuration/references.ts';
import { withSecrets } from '../../configuration/secrets.ts';
import { newFile, updatedFiles } from '../../configuration/updated-files.ts';
import { parseAny } from '../arguments/arguments.ts';
import { CliError, UsageError } from '../errors.ts';
import { createClient, type ServiceClient } from '../service/client.ts';
import { amount } from '../shown/amounts.ts';
import { explain, show } from '../shown/output.ts';
import { counted, faultLines, PATIENCE, valueOf } from './files.ts';
import type { ShownPlan } from './shown.ts';

interface ExportAnswer {
  document: ConfigDocument;
  variables: { name: string; field: string }[];
  left_out: Section[];
  state: object | null;
}

const MASK = '********';
const NAME = 'syncline.yaml';

/** Writes what there is into files. */
export async function exportConfiguration(args: string[], config: Config): Promise<number> {
  const { values, positionals } = parseAny(args, { state: { type: 'string' } });
  if (positionals.length > 1) throw new UsageError(`"${positionals[1]}" is one argument too many.`);
  const client = createClient(config);
  const path = `/api/v1/datasync/config${values.state === undefined ? '' : '?state=true'}`;
  const { data } = await client.call<{ data: ExportAnswer }>('GET', path);
  const [given] = positionals;
  const variables = given === undefined ? await writeOut(data) : await writeTo(given, data, client, config);
  if (values.state !== undefined) writeState(values.state, data);
  if (data.left_out.length > 0) explain(`Left out, as this key may not read them: ${data.left_out.join(', ')}.`);
  if (variables.length > 0)
    explain(
      `Secrets are not in it. Set these variables before you apply it elsewhere:\n${variables.map(({ name, field }) => `  ${name}  (${field})`).join('\n')}`,
    );
  return 0;
}

async function writeOut({ document, variables }: ExportAnswer): Promise<ExportAnswer['variables']> {
  show(await newFile(document, []));
  return variables;
}

async function writeTo(path: string, data: ExportAnswer, client: ServiceClient, config: Config): Promise<ExportAnswer['variables']> {
  const file = isFolder(path) && !hasYaml(path) ? join(path, NAME) : path;
  if (!existsSync(file)) {
    writeFileSync(file, await newFile(data.document, headingOf(client)));
    explain(`Wrote ${file}.`);
    return data.variables;
  }
  const files = await readConfigFiles([file]);
  const faults = lint(files, false);
  if (faults.length > 0)
    throw new CliError(`${faultLines(faults)}\n\n${counted(faults.length)} with the files that are there. Nothing was written.`);
  const changed = await changedIn(files, data.document, client, config);
  const before = new Map(files.files.map(({ file: name, text }) => [name, text]));
  const written = await updatedFiles(files, data.document, (section, name) => changed.has(`${section} ${name}`));
  const different = written.filter(({ file: name, text }) => before.get(name) !== text);
  for (const { file: name, text } of different) writeFileSync(name, text);
  explain(
    different.length === 0 ? 'Nothing to write: the files say what there is.' : `Updated ${different.map((one) => one.file).join(', ')}.`,
  );
  const known = new Set(
    SECTIONS.flatMap((section) => Object.keys((files.document[section] as object | undefined) ?? {}).map((name) => `${section}.${name}.`)),
  );
  return data.variables.filter(({ field }) => ![...known].some((begin) => field.startsWith(begin)));
}

/** What the files mean in another way than the service: by a plan, in which secrets are taken to be right. */
async function changedIn(files: ConfigFiles, document: ConfigDocument, client: ServiceClient, config: Config): Promise<Set<string>> {
  const both = SECTIONS.map((section): [Section, Record<string, unknown>] => {
    const entries = Object.entries((files.document[section] as ConfigDocument[Section] | undefined) ?? {});
    const kept = entries.filter(([name]) => Object.hasOwn(document[section] ?? {}, name));
    return [
      section,
      Object.fromEntries(
        kept.map(([name, entry]) => [name, withSecrets(section, entry, (secret) => (hasReference(secret) ? MASK : secret))]),
      ),
    ];
  });
  const known = Object.fromEntries(both.filter(([, entries]) => Object.keys(entries).length > 0));
  const { document: wanted, faults } = resolved({ ...known, defaults: files.document['defaults'] ?? null }, (reference) =>
    valueOf(reference, '.', config),
  );
  if (faults.length > 0) throw new CliError(`${faults.map(({ field, reason }) => `${field} ${reason}`).join('\n')}\nNothing was written.`);
  const { data } = await client.call<{ data: ShownPlan }>(
    'POST',
    '/api/v1/datasync/config/plan',
    { document: wanted },
    { timeout: PATIENCE },
  );
  return new Set(data.changes.map(({ section, name }) => `${section} ${name}`));
}

/** Editors complete and check by the schema that the service itself serves. */
function headingOf({ url }: ServiceClient): string[] {
  return [`yaml-language-server: $schema=${url}/config.schema.json`];
}

function writeState(path: string, { state }: ExportAnswer): void {
  writeFileSync(path, `${JSON.stringify({ version: 1, state }, undefined, 1)}\n`, { mode: 0o600 });
  explain(`Wrote the positions of ${amount(Object.keys(state ?? {}).length, 'synchronization')} to ${path}.`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function hasYaml(path: string): boolean {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).some((file) => /\.ya?ml$/i.test(file));
}
