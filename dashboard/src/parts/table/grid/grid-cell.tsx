import { CheckIcon } from '../../icons.tsx';
import type { GridValue } from './grid-column.ts';
import { differenceOf, inOneLine, lineOf, textOf, type ValueKind } from './grid-values.ts';

/** What a cell holds, in one line. */
export function GridCell({ cell, kind }: { cell: GridValue; kind: ValueKind }) {
  const { value, before, against, none, drawn } = cell;
  if (none !== undefined) return <span className="only-heard">{none}</span>;
  if (drawn !== undefined) return drawn;
  if (before) {
    const [old, made] = before.isMade ? [] : [{ against: value }, { against: before.value }];
    return (
      <span className="grid-change">
        <del>
          <OneValue value={before.value} kind={kind} {...old} />
        </del>
        <span aria-hidden="true">→</span>
        <ins>
          <OneValue value={value} kind={kind} {...made} />
        </ins>
      </span>
    );
  }
  return <OneValue value={value} kind={kind} {...(against && { against: against.value })} />;
}

interface OneValueProps {
  value: unknown;
  kind: ValueKind;
  /** What it differs from. */
  against?: unknown;
}

function OneValue({ value, kind, against }: OneValueProps) {
  const text = textOf(value);
  if (text === null) return <span className="grid-none">null</span>;
  if (text === '') return <span className="grid-none">empty text</span>;
  if (kind === 'boolean' && typeof value === 'boolean') return <Boolean value={value} />;
  const other = textOf(against);
  if (kind === 'text' && other !== null) return <Differing text={text} other={other} />;
  const line = lineOf(kind, text);
  return kind === 'moment' ? <time title={text}>{line}</time> : <bdi>{line}</bdi>;
}

function Boolean({ value }: { value: boolean }) {
  return (
    <span className="grid-boolean" data-yes={value}>
      <span aria-hidden="true">{value && <CheckIcon size={11} />}</span>
      {String(value)}
    </span>
  );
}

/** So much of what two long texts have in common is left before the place where they differ. */
const CONTEXT = 12;
const LONGEST_END = 200;

function Differing({ text, other }: { text: string; other: string }) {
  const { start, one, end } = differenceOf(text, other);
  const before = start.length > CONTEXT * 2 ? `…${start.slice(-CONTEXT).toWellFormed()}` : start;
  // Where nothing is in common, there is nothing to point at.
  if (start === '' && end === '') return <bdi>{lineOf('text', text)}</bdi>;
  return (
    <bdi>
      {inOneLine(before)}
      {one !== '' && <mark>{lineOf('text', one)}</mark>}
      {inOneLine(end.slice(0, LONGEST_END))}
    </bdi>
  );
}
