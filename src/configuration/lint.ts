import { plannedWarnings } from '../datasync/syncs/shared-tables.ts';
import type { TableWriter } from '../datasync/syncs/table-writers.ts';
import type { FieldError } from '../lib/errors.ts';
import { isWild, withDocumentDefaults } from './defaults.ts';
import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';
import { type ConfigDocument, SECTIONS, type Section, WORDS } from './document.ts';
import { documentFaults, nameFaults } from './faults.ts';
import type { ConfigFiles, PlacedFault } from './files.ts';
import { literalSecrets } from './secrets.ts';

/** What is wrong with files, each fault with its place, in the order in which they are read. `whole`: they name nothing that is elsewhere. */
export function lint(files: ConfigFiles, whole: boolean): PlacedFault[] {
  if (files.faults.length > 0) return sorted(files, files.faults);
  const { document } = files;
  const whatIs = withDocumentDefaults(soundPart(document));
  const faults: FieldError[] = [...documentFaults(document), ...literalSecrets(whatIs)];
  const elsewhere = (section: Section): string => `is no ${WORDS[section]} of these files`;
  // Where there is no such section at all, they are about what the service has.
  if (whole) faults.push(...nameFaults(whatIs, () => [], elsewhere).filter(({ field }) => isJudged(whatIs, field)));
  return sorted(
    files,
    faults.map((fault) => placed(files, fault)),
  );
}

/** What is not wrong, but perhaps not meant: synchronizations of these files that write one table. Streams with a * are not looked into. */
export function lintWarnings({ document, faults }: ConfigFiles): string[] {
  if (faults.length > 0) return [];
  const { syncs = {} } = withDocumentDefaults(soundPart(document));
  const writers = Object.entries(syncs).map(([name, { target, streams }]): TableWriter => {
    const given = Array.isArray(streams) ? streams.filter(isJsonObject) : [];
    // Where none is given, what the table is called follows from the source: it is the same for the same stream.
    const tables = given
      .map((stream) => stream['target'] ?? stream['source'])
      .filter((table) => typeof table === 'string' && !isWild(table));
    return { id: name, name, targetId: String(target), tables: tables as string[] };
  });
  return plannedWarnings(
    writers,
    () => true,
    () => '',
  );
}

/** What can be looked into: sections and entries that are objects. */
function soundPart(document: JsonObject): ConfigDocument {
  const entries = (section: unknown): [string, unknown][] =>
    isJsonObject(section) ? Object.entries(section).filter(([, entry]) => isJsonObject(entry)) : [];
  return Object.fromEntries(
    SECTIONS.filter((section) => isJsonObject(document[section])).map((section) => [
      section,
      Object.fromEntries(entries(document[section])),
    ]),
  );
}

function isJudged(document: ConfigDocument, field: string): boolean {
  const section = field.startsWith('sources.') ? 'hooks' : /\.(source|target)$/.test(field) ? 'sources' : 'syncs';
  return document[section] !== undefined;
}

export function placed(files: ConfigFiles, { field, reason }: FieldError): PlacedFault {
  return { ...files.placeOf(field), field, reason };
}

function sorted({ files }: ConfigFiles, faults: readonly PlacedFault[]): PlacedFault[] {
  const order = new Map(files.map(({ file }, at) => [file, at]));
  return faults.toSorted(
    (one, other) => (order.get(one.file) ?? 0) - (order.get(other.file) ?? 0) || one.line - other.line || one.column - other.column,
  );
}
