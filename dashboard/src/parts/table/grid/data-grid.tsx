import { Button, Group, Text } from '@mantine/core';
import { memo, type MouseEvent, type ReactNode, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../../action/copy-button.tsx';
import { lazyPart } from '../../lazy-part.ts';
import { plural } from '../../words/format.ts';
import { useRoom } from '../../page/use-room.ts';
import { OutsideText, visible } from '../../words/outside-text.tsx';
import { GridCell } from './grid-cell.tsx';
import type { GridColumn, GridValue } from './grid-column.ts';
import { kindOf, textOf, type ValueKind } from './grid-values.ts';
import { fillRoom, firstWithin, widthsOf } from './grid-widths.ts';
import { type Place, ROW_HEIGHT, useDrawnRows, useGridPlace } from './use-grid-place.ts';
import './data-grid.css';

/** What a scroll bar takes, where there is one. */
const SCROLL_BAR = 16;

const ValueDrawer = lazyPart(async () => (await import('./value-drawer.tsx')).ValueDrawer);

interface DataGridProps<Row> {
  /** What its rows are, for screen readers. */
  label: string;
  /** The first stays in sight while the others are scrolled. Both stay the same while nothing changes. */
  columns: readonly GridColumn<Row>[];
  rows: readonly Row[];
  /** What is said below of the whole; how many rows there are, unless given. */
  about?: ReactNode;
}

/**
 * Rows of data, one line each. The grid is one stop of the keyboard: arrows move within it, Enter opens a value, Ctrl+C copies it. What is chosen is
 * shown below as it is, with all its digits. Of many rows, those in sight are drawn.
 */
export function DataGrid<Row>({ label, columns, rows, about }: DataGridProps<Row>) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [isMoved, setMoved] = useState(false);
  const [ref, room] = useRoom<HTMLDivElement>();
  const frame = useRef<HTMLDivElement>(null);
  const grid = useFocusAfter(isOpen);
  const kinds = useMemo(() => columns.map((column) => kindOfColumn(column, rows)), [columns, rows]);
  const content = useMemo(() => widthsOf(columns, kinds, rows), [columns, kinds, rows]);
  const widths = fillRoom(firstWithin(content, room), room - SCROLL_BAR);
  const drawn = useDrawnRows(rows.length);
  const { place, choose, onKey } = useGridPlace(frame, { rows: rows.length, columns: columns.length }, widths, (at) => cellId(id, at));
  const found = place && cellAt(columns, rows, place);
  const chooseAt = ({ target }: MouseEvent): boolean => {
    const at = placeOf(target);
    if (at) choose(at);
    return at !== undefined;
  };
  return (
    <div className="data-grid" ref={ref}>
      <div
        ref={frame}
        className="data-grid-frame"
        data-moved={isMoved}
        style={{ scrollPaddingLeft: widths[0] }}
        onScroll={({ currentTarget }) => {
          drawn.onScroll(currentTarget.scrollTop);
          setMoved(currentTarget.scrollLeft > 0);
        }}
      >
        <table
          ref={grid}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- a table whose cells are chosen is a grid, and the elements of one tell the rest
          role="grid"
          tabIndex={0}
          aria-label={label}
          aria-rowcount={rows.length + 1}
          aria-colcount={columns.length}
          aria-activedescendant={place && cellId(id, place)}
          style={{ width: `max(100%, ${widths.reduce((sum, width) => sum + width, 0)}px)` }}
          onFocus={() => place ?? choose({ row: 0, column: 0 })}
          onClick={chooseAt}
          onDoubleClick={(event) => chooseAt(event) && setOpen(true)}
          onKeyDown={(event) => {
            onKey(event);
            if (event.key === 'Enter' && found) setOpen(true);
          }}
          onCopy={(event) => {
            // What is marked with the pointer goes first.
            if (!found || getSelection()?.isCollapsed === false) return;
            event.clipboardData.setData('text/plain', textOf(found.cell.value) ?? '');
            event.preventDefault();
          }}
        >
          <colgroup>
            {columns.map(({ name }, at) => (
              // The last one takes the room that is left.
              <col key={name} {...(at < columns.length - 1 && { style: { width: widths[at] } })} />
            ))}
          </colgroup>
          <Head columns={columns} kinds={kinds} />
          <tbody>
            <Gap rows={drawn.from} />
            {rows.slice(drawn.from, drawn.to).map((row, at) => (
              <Line
                // oxlint-disable-next-line react/no-array-index-key -- rows of a sample have no name: their place tells them apart
                key={drawn.from + at}
                id={id}
                row={row}
                at={drawn.from + at}
                columns={columns as readonly GridColumn<unknown>[]}
                kinds={kinds}
                chosen={place?.row === drawn.from + at ? place.column : undefined}
              />
            ))}
            <Gap rows={rows.length - drawn.to} />
          </tbody>
        </table>
      </div>
      <Footer found={found} about={about ?? plural(rows.length, 'row')} onOpen={() => setOpen(true)} />
      {isOpen && found && place && (
        <Suspense fallback={null}>
          <ValueDrawer {...found} kind={kinds[place.column] ?? 'text'} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Takes the focus back when what was opened is closed. */
function useFocusAfter(isOpen: boolean) {
  const element = useRef<HTMLTableElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !isOpen) element.current?.focus({ preventScroll: true });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return element;
}

function kindOfColumn<Row>({ type, cell }: GridColumn<Row>, rows: readonly Row[]): ValueKind {
  return kindOf(type, type === undefined ? rows.flatMap((row) => valuesIn(cell(row))) : []);
}

function valuesIn({ value, before, none, drawn }: GridValue): unknown[] {
  if (none !== undefined || drawn !== undefined) return [];
  return before ? [value, before.value] : [value];
}

function cellId(grid: string, { row, column }: Place): string {
  return `${grid}-${row}-${column}`;
}

function placeOf(target: EventTarget): Place | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  return cell ? { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) } : undefined;
}

interface Found {
  name: string;
  type: string | undefined;
  cell: GridValue;
}

function cellAt<Row>(columns: readonly GridColumn<Row>[], rows: readonly Row[], { row, column }: Place): Found | undefined {
  const [found, of] = [columns[column], rows[row]];
  return found && of !== undefined ? { name: found.label ?? found.name, type: found.type, cell: found.cell(of) } : undefined;
}

function Head<Row>({ columns, kinds }: { columns: readonly GridColumn<Row>[]; kinds: readonly ValueKind[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ name, label, type }, at) => (
          <th key={name} scope="col" data-kind={kinds[at]} aria-colindex={at + 1} title={label ?? visible(name)}>
            {label ?? <bdi>{visible(name)}</bdi>}
            {label === undefined && type !== undefined && <span className="grid-type"> {type}</span>}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface LineProps {
  id: string;
  row: unknown;
  at: number;
  columns: readonly GridColumn<unknown>[];
  kinds: readonly ValueKind[];
  /** The column that is chosen in this row. */
  chosen: number | undefined;
}

const Line = memo(function Line({ id, row, at, columns, kinds, chosen }: LineProps) {
  return (
    <tr aria-rowindex={at + 2}>
      {columns.map(({ name, cell: cellOf }, column) => {
        const cell = cellOf(row);
        const kind = kinds[column] ?? 'text';
        const content = <GridCell cell={cell} kind={kind} />;
        const attributes = {
          id: cellId(id, { row: at, column }),
          'data-row': at,
          'data-column': column,
          'data-kind': kind,
          'data-culprit': cell.isCulprit,
          'data-chosen': chosen === column || undefined,
          'aria-colindex': column + 1,
          ...(chosen !== undefined && { 'aria-selected': chosen === column }),
        };
        return column === 0 ? (
          <th key={name} scope="row" {...attributes}>
            {content}
          </th>
        ) : (
          <td key={name} {...attributes}>
            {content}
          </td>
        );
      })}
    </tr>
  );
});

/** Takes the place of rows that are not drawn. */
function Gap({ rows }: { rows: number }) {
  return rows > 0 ? <tr aria-hidden="true" style={{ height: rows * ROW_HEIGHT }} /> : null;
}

/** What is chosen, exactly; of what is chosen nothing, what can be said of the whole. */
function Footer({ found, about, onOpen }: { found: Found | undefined; about: ReactNode; onOpen: () => void }) {
  if (!found || found.cell.none !== undefined) {
    return (
      <div className="data-grid-footer">
        <Text size="xs" c="dimmed" className="number">
          {about}
        </Text>
      </div>
    );
  }
  const { name, cell } = found;
  const text = textOf(cell.value);
  return (
    <div className="data-grid-footer">
      <Text size="xs" truncate style={{ flex: 1 }}>
        <Text span inherit c="dimmed">
          <OutsideText>{name}</OutsideText>:{' '}
        </Text>
        {cell.before && <>{exactly(textOf(cell.before.value))} → </>}
        <span data-exact>{exactly(text)}</span>
      </Text>
      <Group gap={4} wrap="nowrap">
        {text !== null && <CopyButton text={text} size="compact-xs" variant="subtle" />}
        <Button size="compact-xs" variant="subtle" onClick={onOpen}>
          Open
        </Button>
      </Group>
    </div>
  );
}

function exactly(text: string | null): ReactNode {
  if (text === null) return <span className="grid-none">null</span>;
  return text === '' ? <span className="grid-none">empty text</span> : <bdi>{visible(text.slice(0, 400))}</bdi>;
}
