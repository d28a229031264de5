import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config.ts';
import { type ConfigFiles, type PlacedFault, readConfigFiles } from '../../configuration/files.ts';
import { lint, placed } from '../../configuration/lint.ts';
import { type Reference, resolved } from '../../configuration/references.ts';
import { visible } from '../../lib/check.ts';
import type { JsonObject } from '../../lib/exact-json.ts';
import { CliError, UsageError } from '../errors.ts';
import { faultsIn, type ServiceClient } from '../service/client.ts';

/** Systems are asked for what they have: that takes its time. */
export const PATIENCE = 300_000;
const MOST_TOLD = 100;

export function faultLines(faults: readonly PlacedFault[]): string {
  const told = faults
    .slice(0, MOST_TOLD)
    .map(({ file, line, column, field, reason }) => `${file}:${line}:${column}  ${visible(field === '' ? reason : `${field} ${reason}`)}`);
  const more = faults.length > MOST_TOLD ? [`… and ${faults.length - MOST_TOLD} more`] : [];
  return [...told, ...more].join('\n');
}

/** The files that a command is given. */
export async function filesOf(paths: readonly string[]): Promise<ConfigFiles> {
  if (paths.length === 0) throw new UsageError('The file is missing: name a YAML file, or a folder of them.');
  try {
    return await readConfigFiles(paths);
  } catch (error) {
    throw new CliError((error as Error).message);
  }
}

/** What the files say, with all that their references refer to. Throws every fault with its place; names are left to the service. */
export function documentOf(files: ConfigFiles, config: Pick<Config, 'variable'>): JsonObject {
  const faults = lint(files, false);
  if (faults.length > 0) throw faulty(faults);
  const folder = dirname(files.files[0]?.file ?? '.');
  const { document, faults: missing } = resolved(files.document, (reference) => valueOf(reference, folder, config));
  if (missing.length > 0) throw faulty(missing.map((fault) => placed(files, fault)));
  return document;
}

function faulty(faults: readonly PlacedFault[]): CliError {
  return new CliError(`${faultLines(faults)}\n\n${counted(faults.length)}. Nothing was changed.`);
}

export function counted(faults: number): string {
  return faults === 1 ? '1 thing is wrong' : `${faults} things are wrong`;
}

/** Paths are meant from the folder of the first file. Of a file, the line end behind a secret is none of it. */
export function valueOf(
  { kind, name }: Reference,
  folder: string,
  { variable }: Pick<Config, 'variable'>,
): { text: string } | { missing: string } {
  if (kind === 'env') {
    const text = variable(name);
    return text === undefined || text === '' ? { missing: `refers to the variable ${name}, which is not set` } : { text };
  }
  const path = resolve(folder, name);
  try {
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') };
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    return { missing: `refers to the file ${path}, which ${why}` };
  }
}

/** Asks the service; what it finds wrong is told with the place in the files. */
export async function askAbout<Answer>(client: ServiceClient, files: ConfigFiles, path: string, body: object): Promise<Answer> {
  try {
    return await client.call<Answer>('POST', path, body, { timeout: PATIENCE });
  } catch (error) {
    const told = faultsIn(error);
    if (told.length === 0) throw error;
    const faults = told.map((fault) => (isOfFiles(files, fault.field) ? placed(files, fault) : undefined));
    if (faults.includes(undefined)) throw error;
    throw faulty(faults as PlacedFault[]);
  }
}

function isOfFiles({ document }: ConfigFiles, field: string): boolean {
  return Object.keys(document).some((section) => field === section || field.startsWith(`${section}.`));
}

/** The positions that `syncline export --state` has written. */
export function stateIn(path: string | undefined): { state?: object } {
  if (path === undefined) return {};
  try {
    const { state } = JSON.parse(readFileSync(path, 'utf8')) as { state?: object };
    if (typeof state !== 'object') throw new Error('it has no state');
    return { state };
  } catch (error) {
    throw new CliError(`${path} is no file that \`syncline export --state\` has written: ${(error as Error).message}.`);
  }
}
