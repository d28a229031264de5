import { isDeepStrictEqual } from 'node:util';
import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';
import { type ConfigDocument, type ConfigEntry, SECTIONS, type Section } from './document.ts';
import { UNSAID } from './entries.ts';
import type { ConfigFiles, ParsedFile } from './files.ts';
import { hasReference } from './references.ts';

// Files are brought up to date in place: what is still right stays as it is written, with its comments, its order, its references and its *.

const WRITING = { lineWidth: 0 } as const;

/** A new file. */
export async function newFile(document: ConfigDocument, heading: readonly string[]): Promise<string> {
  const { stringify } = await import('yaml');
  return `${heading.map((line) => `# ${line}\n`).join('')}${stringify(document, WRITING)}`;
}

export interface UpdatedFile {
  readonly file: string;
  readonly text: string;
}

/** `isChanged` tells of an entry that files and document have whether they mean something else by it. */
export async function updatedFiles(
  files: ConfigFiles,
  document: ConfigDocument,
  isChanged: (section: Section, name: string) => boolean,
): Promise<UpdatedFile[]> {
  const yaml = await import('yaml');
  const before = files.files.map((file) => file.yaml.toString(WRITING));
  const usual = (isJsonObject(files.document['defaults']) ? files.document['defaults'] : {}) as ConfigDocument['defaults'] & JsonObject;
  for (const section of SECTIONS) {
    const wanted = document[section] ?? {};
    for (const file of files.files) {
      const map = sectionOf(file, section);
      for (const name of namesIn(map)) {
        const entry = wanted[name];
        if (entry === undefined) map?.delete(keyOf(map, name));
        else if (isChanged(section, name)) updateMap(yaml, file.yaml, entryNode(map, name), spoken(section, entry, usual));
      }
    }
    const there = new Set(files.files.flatMap((file) => namesIn(sectionOf(file, section))));
    const added = Object.entries(wanted).filter(([name]) => !there.has(name));
    if (added.length > 0)
      add(
        files,
        section,
        added.map(([name, entry]) => [name, spoken(section, entry, usual)]),
      );
  }
  // What nothing was done to is not written in another way.
  return files.files.map(({ file, yaml: parsed, text }, at) => {
    const after = parsed.toString(WRITING);
    return { file, text: after === before[at] ? text : after };
  });
}

/** What goes without saying elsewhere has to be said where the files have another default. */
function spoken(section: Section, entry: ConfigEntry, defaults: JsonObject): ConfigEntry {
  const usual = defaults[section];
  const unsaid = UNSAID[section];
  const said = Object.keys(isJsonObject(usual) ? usual : {}).filter((name) => !Object.hasOwn(entry, name) && Object.hasOwn(unsaid, name));
  return { ...entry, ...Object.fromEntries(said.map((name) => [name, unsaid[name]])) };
}

function sectionOf({ yaml }: ParsedFile, section: Section): YAMLMap | undefined {
  const node = yaml.get(section, true) as Partial<YAMLMap> | undefined;
  return Array.isArray(node?.items) ? (node as YAMLMap) : undefined;
}

function namesIn(map: YAMLMap | undefined): string[] {
  return (map?.items ?? []).map(({ key }) => String((key as Scalar).value));
}

/** As it is written: a name may look like a number. */
function keyOf(map: YAMLMap, name: string): unknown {
  return (map.items.find(({ key }) => String((key as Scalar).value) === name)?.key as Scalar | undefined)?.value;
}

function entryNode(map: YAMLMap | undefined, name: string): Pair | undefined {
  return map?.items.find(({ key }) => String((key as Scalar).value) === name);
}

function add({ files }: ConfigFiles, section: Section, entries: readonly [string, ConfigEntry][]): void {
  const file = files.find((one) => sectionOf(one, section)) ?? files[0];
  if (!file) return;
  const map = sectionOf(file, section);
  if (!map) file.yaml.set(section, file.yaml.createNode(Object.fromEntries(entries)));
  else for (const [name, entry] of entries) map.set(name, file.yaml.createNode(entry));
}

type Yaml = typeof import('yaml');

/** Puts a value in the place of that of a pair, and keeps what is the same in it. */
function updateMap(yaml: Yaml, document: Document, pair: Pair | undefined, value: unknown): void {
  if (!pair) return;
  pair.value = updated(yaml, document, pair.value as Node | null, value);
}

function updated(yaml: Yaml, document: Document, node: Node | null, value: unknown): Node {
  const present: unknown = node === null ? null : node.toJS(document);
  // A reference that stands for a secret is as good as any other.
  if (node !== null && (isDeepStrictEqual(present, value) || (hasReference(present) && hasReference(value)))) return node;
  if (yaml.isMap(node) && isJsonObject(value)) return updatedMap(yaml, document, node, value);
  if (yaml.isSeq(node) && Array.isArray(value)) return updatedSeq(yaml, document, node, value);
  if (yaml.isScalar(node) && !isJsonObject(value) && !Array.isArray(value)) {
    node.value = value;
    return node;
  }
  return document.createNode(value);
}

function updatedMap(yaml: Yaml, document: Document, map: YAMLMap, value: JsonObject): Node {
  for (const name of namesIn(map)) if (!Object.hasOwn(value, name)) map.delete(keyOf(map, name));
  for (const [name, member] of Object.entries(value)) {
    const pair = map.items.find(({ key }) => String((key as Scalar).value) === name);
    if (pair) pair.value = updated(yaml, document, pair.value as Node | null, member);
    else map.set(name, document.createNode(member));
  }
  return map;
}

function updatedSeq(yaml: Yaml, document: Document, seq: YAMLSeq, value: readonly unknown[]): Node {
  seq.items.length = Math.min(seq.items.length, value.length);
  for (const [at, member] of value.entries())
    seq.items[at] = at < seq.items.length ? updated(yaml, document, seq.items[at] as Node, member) : document.createNode(member);
  return seq;
}
