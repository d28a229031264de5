/** A line of a difference: only in the one before, only in the one behind, or in both. */
export interface DiffLine {
  readonly kind: 'gone' | 'new' | 'same';
  readonly text: string;
}

/** Beyond this, what differs is shown as a whole: to find the smallest difference would take too long. */
const MOST_CELLS = 4_000_000;

/** The smallest difference between two texts, line by line. */
export function lineDifference(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start++;
  let end = 0;
  while (end < old.length - start && end < young.length - start && old.at(-1 - end) === young.at(-1 - end)) end++;
  return [
    ...said('same', old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), young.slice(start, young.length - end)),
    ...said('same', old.slice(old.length - end)),
  ];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function said(kind: DiffLine['kind'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

/** By the longest sequence of lines that both have. */
function middle(old: readonly string[], young: readonly string[]): DiffLine[] {
  if (old.length * young.length > MOST_CELLS) return [...said('gone', old), ...said('new', young)];
  const width = young.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = young.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === young[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < young.length) {
    if (row < old.length && column < young.length && old[row] === young[column]) {
      lines.push({ kind: 'same', text: old[row] as string });
      row++;
      column++;
    } else if (row < old.length && (column === young.length || at(row + 1, column) >= at(row, column + 1)))
      lines.push({ kind: 'gone', text: old[row++] as string });
    else lines.push({ kind: 'new', text: young[column++] as string });
  }
  return lines;
}

/** Lines, or how many of them that are the same are left out. */
export type ShownLine = DiffLine | { readonly kind: 'left-out'; readonly count: number };

/** The same with a few lines around what differs, and no more: the rest is counted. */
export function aroundChanges(lines: readonly DiffLine[], context = 3): ShownLine[] {
  const isNear = lines.map((_, place) =>
    lines.slice(Math.max(0, place - context), place + context + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown: ShownLine[] = [];
  for (const [place, line] of lines.entries()) {
    const last = shown.at(-1);
    if (isNear[place]) shown.push(line);
    else if (last?.kind === 'left-out') shown[shown.length - 1] = { kind: 'left-out', count: last.count + 1 };
    else shown.push({ kind: 'left-out', count: 1 });
  }
  return shown;
}
