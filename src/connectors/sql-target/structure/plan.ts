import type { PlainIndex, PlainReference, PlainStructure, StructuredStream } from '../../structure.ts';

/** What a table of the target is to have, by the names of the target. */
export interface StructurePlan extends Omit<PlainStructure, 'others'> {
  /** What stays behind, in sentences. */
  readonly leftOut: readonly string[];
}

/** How a column of the source is called at the target; undefined when it is not brought over as it is. */
export function nameAt({ fields }: Pick<StructuredStream, 'fields'>, column: string): string | undefined {
  return fields === null ? column : fields.get(column);
}

/** What can be told in plain words, by the names of the target. What an own text of the same system says is not looked at. */
export function planOf(stream: StructuredStream): StructurePlan {
  const plain = stream.described?.plain;
  if (!plain) return { comment: null, columns: [], key: [], indexes: [], references: [], leftOut: [] };
  const leftOut: string[] = [];
  const columns = plain.columns.flatMap((column) => {
    const name = nameAt(stream, column.name);
    return name === undefined ? [] : [{ ...column, name }];
  });
  const key = mapped(stream, plain.key);
  if (!key) leftOut.push(absent('The primary key', stream, plain.key));
  const indexes = plain.indexes.flatMap((index) => {
    const names = index.columns.map(({ name }) => name);
    const at = mapped(stream, names);
    if (!at) leftOut.push(absent(indexWords(index), stream, names));
    return at ? [{ ...index, columns: index.columns.map((column, place) => ({ ...column, name: at[place] ?? '' })) }] : [];
  });
  const references = plain.references.flatMap((reference) => referenceOf(stream, reference, leftOut));
  return { comment: plain.comment, columns, key: key ?? [], indexes, references, leftOut };
}

/** What only a target that speaks the language of the source could be given. */
export function othersLeftOut({ described }: StructuredStream): string[] {
  return (described?.plain.others ?? []).map(
    (what) => `${what} is left out: it is in the words of the source (${described?.language}), which this target does not know.`,
  );
}

export function indexWords({ name, columns, isUnique }: PlainIndex): string {
  const what = `The ${isUnique ? 'unique ' : ''}index`;
  return name === null ? `${what} on ${columns.map((column) => `"${column.name}"`).join(', ')}` : `${what} "${name}"`;
}

export function referenceWords({ name, columns }: Pick<PlainReference, 'name' | 'columns'>): string {
  return name === null ? `The foreign key of ${columns.map((column) => `"${column}"`).join(', ')}` : `The foreign key "${name}"`;
}

function referenceOf(stream: StructuredStream, reference: PlainReference, leftOut: string[]): PlainReference[] {
  const words = referenceWords(reference);
  const peer = stream.peers.find(({ source }) => source === reference.to);
  if (!peer) {
    leftOut.push(`${words} is left out: it refers to "${reference.to}", which the synchronization does not bring over.`);
    return [];
  }
  const columns = mapped(stream, reference.columns);
  const toColumns = mapped(peer, reference.toColumns);
  if (columns && toColumns) return [{ ...reference, columns, to: peer.stream, toColumns }];
  leftOut.push(`${words} is left out: not all of its columns are brought over as they are.`);
  return [];
}

function mapped(stream: Pick<StructuredStream, 'fields'>, columns: readonly string[]): string[] | undefined {
  const names = columns.flatMap((column) => nameAt(stream, column) ?? []);
  return names.length === columns.length ? names : undefined;
}

function absent(what: string, stream: StructuredStream, columns: readonly string[]): string {
  const missing = columns.filter((column) => nameAt(stream, column) === undefined).map((name) => `"${name}"`);
  return `${what} is left out: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not brought over as ${missing.length === 1 ? 'it is' : 'they are'}.`;
}
