import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Document, LineCounter, Node, Pair, Scalar, visit as visitNodes, YAMLMap, YAMLSeq } from 'yaml';
import type { FieldError } from '../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';
import { SECTIONS } from './document.ts';
import { type PlaceStep, stepsTo } from './places.ts';

// Configuration files: YAML, one or a folder of them, that are one document together. The parser is loaded when there is something to parse.

/** Where something stands, for people. */
interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface PlacedFault extends FilePlace, FieldError {}

export interface ParsedFile {
  readonly file: string;
  readonly text: string;
  readonly yaml: Document;
  readonly lines: LineCounter;
}

export interface ConfigFiles {
  readonly files: readonly ParsedFile[];
  /** What they say together. */
  readonly document: JsonObject;
  /** What is wrong with them as files: not YAML, the same thing twice. */
  readonly faults: readonly PlacedFault[];
  /** Where a field of the document stands; where it is missing, what it is missing in. */
  placeOf(field: string): FilePlace;
}

const EXTENSION = /\.ya?ml$/i;

/** The files of these paths; a folder stands for all YAML files in it. Throws an Error in words when there is none. */
function configPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new Error(`There is no file or folder ${path}.`);
    if (!found.isDirectory()) return [path];
    const inside = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => EXTENSION.test(file));
    if (inside.length === 0) throw new Error(`There is no file that ends in .yaml or .yml in ${path}.`);
    return inside.sort().map((file) => join(path, file));
  });
}

export async function readConfigFiles(paths: readonly string[]): Promise<ConfigFiles> {
  return parseConfigFiles(configPaths(paths).map((file) => ({ file, text: readFileSync(file, 'utf8') })));
}

export async function parseConfigFiles(texts: readonly { file: string; text: string }[]): Promise<ConfigFiles> {
  const { LineCounter, parseDocument, visit } = await import('yaml');
  const faults: PlacedFault[] = [];
  const files = texts.map(({ file, text }): ParsedFile => {
    const lines = new LineCounter();
    return { file, text, lines, yaml: parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false }) };
  });
  const document: Record<string, unknown> = {};
  /** Which file has something: the first one that names it. */
  const owners = new Map<string, ParsedFile>();
  for (const file of files) {
    const wrong = [...file.yaml.errors, ...file.yaml.warnings].map(({ message, pos }) => ({
      ...at(file, pos[0]),
      field: '',
      reason: sentenceOf(message),
    }));
    faults.push(...wrong);
    if (file.yaml.errors.length > 0) continue;
    const refused = namesRefused(file, visit);
    faults.push(...refused);
    if (refused.length > 0) continue;
    const { value, fault } = valueOf(file);
    if (fault !== undefined) faults.push({ ...at(file, 0), field: '', reason: fault });
    else merge(document, value, file, owners, faults);
  }
  const whole = (): ParsedFile => files[0] as ParsedFile;
  return {
    files,
    document,
    faults,
    placeOf: (field) => {
      const steps = stepsTo(document, field);
      const owner = owners.get(steps.slice(0, 2).join('\0')) ?? owners.get(String(steps[0])) ?? whole();
      return placeIn(owner, steps);
    },
  };
}

/** A name that JavaScript gives a meaning of its own: what it stands for would be gone without a word. */
const REFUSED_NAME = '__proto__';

function namesRefused(file: ParsedFile, visit: typeof visitNodes): PlacedFault[] {
  const found: PlacedFault[] = [];
  visit(file.yaml, {
    Pair: (_, { key }) => {
      const { value, range } = (key ?? {}) as Partial<Scalar>;
      if (value === REFUSED_NAME) found.push({ ...at(file, range?.[0] ?? 0), field: '', reason: `"${REFUSED_NAME}" cannot be a name` });
    },
  });
  return found;
}

function valueOf({ yaml }: ParsedFile): { value: JsonObject; fault?: string } {
  try {
    const value: unknown = yaml.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return { value: {} };
    return isJsonObject(value) ? { value } : { value: {}, fault: 'must be an object with sources, syncs and so on' };
  } catch (error) {
    return { value: {}, fault: sentenceOf((error as Error).message) };
  }
}

/** Adds what a file says. What another file has said already is a fault that names both places. */
function merge(
  document: Record<string, unknown>,
  value: JsonObject,
  file: ParsedFile,
  owners: Map<string, ParsedFile>,
  faults: PlacedFault[],
): void {
  for (const [name, member] of Object.entries(value)) {
    const isShared = (['defaults', ...SECTIONS] as string[]).includes(name);
    if (name === 'version' && document[name] === member) continue;
    if (!isShared || !isJsonObject(member)) {
      if (owners.has(name) && member !== null) faults.push(twice(file, [name], owners.get(name) as ParsedFile));
      if (document[name] === undefined) document[name] = member;
      owners.set(name, owners.get(name) ?? file);
      continue;
    }
    const entries = isJsonObject(document[name]) ? (document[name] as Record<string, unknown>) : {};
    document[name] = entries;
    owners.set(name, owners.get(name) ?? file);
    for (const [inner, entry] of Object.entries(member)) {
      const other = owners.get(`${name}\0${inner}`);
      if (other) faults.push(twice(file, [name, inner], other));
      else {
        entries[inner] = entry;
        owners.set(`${name}\0${inner}`, file);
      }
    }
  }
}

function twice(file: ParsedFile, steps: readonly string[], other: ParsedFile): PlacedFault {
  const before = placeIn(other, steps);
  return { ...placeIn(file, steps), field: steps.join('.'), reason: `is there twice: also in ${before.file}:${before.line}` };
}

function placeIn(file: ParsedFile, steps: readonly PlaceStep[]): FilePlace {
  let node: unknown = file.yaml.contents;
  let offset = 0;
  for (const step of steps) {
    const found = childOf(file, node, step);
    if (!found) break;
    ({ offset, node } = found);
  }
  return at(file, offset);
}

function childOf({ yaml }: ParsedFile, parent: unknown, step: PlaceStep): { node: unknown; offset: number } | undefined {
  const node = resolved(yaml, parent);
  const items = (node as Partial<YAMLMap | YAMLSeq> | null)?.items;
  if (!Array.isArray(items)) return undefined;
  if (typeof step === 'number') {
    const item = items[step] as Node | undefined;
    return item?.range ? { node: item, offset: item.range[0] } : undefined;
  }
  const pair = (items as Pair[]).find(({ key }) => String((key as { value?: unknown } | null)?.value) === step);
  const range = (pair?.key as Node | undefined)?.range;
  return pair && range ? { node: pair.value, offset: range[0] } : undefined;
}

/** An alias stands for what it names. */
function resolved(yaml: Document, node: unknown): unknown {
  const alias = node as { resolve?: (document: Document) => unknown } | null;
  return typeof alias?.resolve === 'function' ? alias.resolve(yaml) : node;
}

function at({ file, lines }: ParsedFile, offset: number): FilePlace {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(1, line), column: Math.max(1, col) };
}

/** What the parser says. It calls itself for each level. */
function sentenceOf(message: string): string {
  return /call stack/i.test(message) ? 'is nested too deeply' : message.replace(/\s+/g, ' ').trim();
}
