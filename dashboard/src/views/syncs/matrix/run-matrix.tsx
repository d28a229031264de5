import './run-matrix.css';
import { Button, Group, Text } from '@mantine/core';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Run, Stream, Sync } from '../../../api/resources.ts';
import { Section } from '../../../parts/page/section.tsx';
import { statusWord } from '../../../parts/status/status.tsx';
import { formatDay, formatMoment, plural } from '../../../parts/words/format.ts';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { useNow } from '../../../parts/words/use-now.ts';
import { changeWords } from '../../runs/run-words.ts';
import { LAST_RUNS, useLastRuns } from '../last-runs.ts';
import { daysOf, type Matrix, matrixOf, type MatrixRow } from './matrix.ts';
import { SHAPES, StateMark } from './state-mark.tsx';

/** So many streams are drawn, and so many more each time that more are wanted. */
const STEP = 30;

/** The last week at a glance: a row for each stream, a column for each run, and in every cell what became of it. */
export function RunMatrix({ sync: { id } }: { sync: Sync }) {
  const { data } = useLastRuns(id);
  const now = useNow();
  // A week is not told by the second.
  const hour = Math.floor(now / 3_600_000) * 3_600_000;
  const matrix = useMemo(() => matrixOf(data?.data ?? [], hour), [data, hour]);
  // One run is told above already.
  if (matrix.runs.length < 2 || matrix.rows.length === 0) return null;
  const isCut = (data?.data.length ?? 0) === LAST_RUNS && matrix.runs.length >= LAST_RUNS - 5;
  return (
    <Section
      title="Last week"
      about={`${plural(matrix.rows.length, 'stream')} in ${isCut ? 'the last ' : ''}${plural(matrix.runs.length, 'run')}, the newest at the right. Choose a cell to open its run.`}
    >
      <Drawn runs={matrix.runs} rows={matrix.rows} />
      <Legend {...matrix} />
    </Section>
  );
}

function Drawn({ runs, rows }: { runs: readonly Run[]; rows: readonly MatrixRow[] }) {
  const [most, setMost] = useState(STEP);
  const shown = rows.slice(0, most);
  const box = useRef<HTMLDivElement>(null);
  const newest = runs.at(-1)?.id;
  // The newest run is seen first, on a narrow screen as well.
  useEffect(() => {
    // What it answers, a promise in newer browsers, is nothing to put away later.
    box.current?.scrollTo({ left: box.current.scrollWidth });
  }, [newest]);
  // One cell is reached by Tab, the others from there by the arrows: the last one of the heads to begin with.
  const [place, setPlace] = useState<readonly [number, number]>();
  const [row, column] = place ?? [0, runs.length - 1];
  const tabOf = (at: number, of: number): 0 | -1 => (at === row && of === column ? 0 : -1);
  const go = (event: KeyboardEvent): void => {
    const steps: Record<string, readonly [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      Home: [0, -runs.length],
      End: [0, runs.length],
    };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    focusNext(box.current, row, column, step, [shown.length + 1, runs.length]);
  };
  const cellProps = (at: number, of: number) => ({
    tabIndex: tabOf(at, of),
    'data-cell': `${at}-${of}`,
    onFocus: () => setPlace([at, of]),
    onKeyDown: go,
  });
  return (
    <>
      <div className="run-matrix" ref={box} role="region" aria-label="Streams and runs of the last week">
        <table aria-label="What became of each stream in the runs of the last week">
          <thead>
            <tr>
              <th scope="col" rowSpan={2}>
                Stream
              </th>
              {daysOf(runs, formatDay).map(({ day, count }, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- days are in the order of time
                <th key={at} scope="colgroup" colSpan={count} className="matrix-day" abbr={day}>
                  {/* There is room for the whole from two runs on. */}
                  {count === 1 ? day.split(' ')[0] : day}
                </th>
              ))}
            </tr>
            <tr>
              {runs.map((run, of) => (
                <th key={run.id} scope="col">
                  <Link
                    href={`/runs/${run.id}`}
                    className="matrix-cell"
                    title={`${formatMoment(run.created_at)}: ${statusWord(run.status)}`}
                    aria-label={`Run of ${formatMoment(run.created_at)}: ${statusWord(run.status)}`}
                    {...cellProps(0, of)}
                  >
                    <StateMark status={run.status} />
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ target, name, cells }, at) => (
              <tr key={target}>
                <th scope="row" aria-label={visible(name === target ? name : `${name} → ${target}`)}>
                  <span className="matrix-name">
                    <OutsideText>{name === target ? name : `${name} → ${target}`}</OutsideText>
                  </span>
                </th>
                {cells.map((stream, of) => {
                  const run = runs[of];
                  if (!run) return null;
                  return (
                    <td key={run.id}>
                      {stream ? (
                        <Link
                          href={`/runs/${run.id}`}
                          className="matrix-cell"
                          title={titleOf(stream, run)}
                          aria-label={`${statusWord(stream.status)}: ${visible(name)}, ${formatMoment(run.created_at)}`}
                          {...cellProps(at + 1, of)}
                        >
                          <StateMark status={stream.status} />
                        </Link>
                      ) : (
                        <span className="only-heard">no part of it</span>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <Button variant="default" size="xs" mt="sm" onClick={() => setMost(most + STEP)}>
          Show {plural(Math.min(STEP, rows.length - shown.length), 'more stream')} of {rows.length - shown.length}
        </Button>
      )}
    </>
  );
}

/** Goes from cell to cell, past those that are empty, and stays where there is none. */
function focusNext(
  box: HTMLElement | null,
  row: number,
  column: number,
  [down, right]: readonly [number, number],
  [rows, columns]: readonly [number, number],
): void {
  const isFar = Math.abs(right) > 1;
  const [stepDown, stepRight] = [down, isFar ? -Math.sign(right) : right];
  let [at, of] = isFar ? [row, right > 0 ? columns - 1 : 0] : [row + down, column + right];
  while (at >= 0 && at < rows && of >= 0 && of < columns) {
    const cell = box?.querySelector<HTMLElement>(`[data-cell="${at}-${of}"]`);
    if (cell) {
      cell.focus();
      return;
    }
    at += stepDown;
    of += stepRight;
  }
}

function titleOf(stream: Stream, run: Run): string {
  const words = [
    `${formatMoment(run.created_at)}: ${statusWord(stream.status)}`,
    changeWords(stream),
    visible(stream.error?.message ?? ''),
  ];
  return words.filter((word) => word !== '').join('\n');
}

/** What the shapes stand for: those that are drawn. */
function Legend({ rows, runs }: Matrix) {
  const seen = new Set<string>(
    [...runs, ...rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined))].map(({ status }) => status),
  );
  return (
    <Group gap="md" mt="sm">
      {Object.keys(SHAPES)
        .filter((status) => seen.has(status))
        .map((status) => (
          <Group key={status} gap={6} wrap="nowrap">
            <StateMark status={status} />
            <Text size="xs" c="dimmed">
              {statusWord(status)}
            </Text>
          </Group>
        ))}
    </Group>
  );
}
