import { Anchor, Box, Skeleton, Table } from '@mantine/core';
import { type CSSProperties, memo, type ReactNode, useDeferredValue } from 'react';
import { Link } from 'wouter';
import { ErrorState } from '../page/error-state.tsx';
import { Paging, type PagingPlace } from './paging.tsx';
import './data-table.css';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  numeric?: boolean;
  /** Of a list with one line a row, the most that it may take. */
  width?: number | string;
  /** On a phone: a value that speaks for itself has no name before it; what is less important is left out. */
  phone?: 'bare' | 'hidden';
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Where the first cell of a row leads to. */
  href?: (row: Row) => string;
  error?: Error | null;
  refetch?: () => unknown;
  /** What stands there when there is nothing. */
  empty: ReactNode;
  /** From `usePages`. */
  paging?: PagingPlace;
  /** Many things alike: each is one line, as wide as what it holds, and the first column stays in sight. On a phone they are short rows all the same. */
  isOneLine?: boolean;
}

/** A list as a table. On a phone every row is a few short lines: what it is of, how that is, and the rest in small letters. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  href,
  error,
  refetch,
  empty,
  paging,
  isOneLine = false,
}: DataTableProps<Row>) {
  // A click is answered before all rows are drawn: they come a moment later, and what is done meanwhile goes first.
  const drawn = useDeferredValue(rows, rows && rows.length > FIRST ? rows.slice(0, FIRST) : rows);
  if (error && rows === undefined) {
    return (
      <Box p="md">
        <ErrorState error={error} {...(refetch && { retry: refetch })} />
      </Box>
    );
  }
  if (rows?.length === 0 && (paging?.page ?? 0) === 0) return empty;
  return (
    <>
      <Table.ScrollContainer
        type="native"
        minWidth={isOneLine ? 0 : widthOf(columns)}
        tabIndex={0}
        aria-label={label}
        role="region"
        className={isOneLine ? 'data-table one-line' : 'data-table'}
      >
        {/* The roles say what the elements are, also where they are not laid out as a table. */}
        <Table role="table" highlightOnHover={href !== undefined} aria-label={label} aria-busy={drawn !== rows || rows === undefined}>
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map(({ header, numeric, width }) => (
                <Table.Th
                  key={header}
                  role="columnheader"
                  scope="col"
                  ta={numeric ? 'right' : 'left'}
                  {...(width !== undefined && !isOneLine && { w: width })}
                >
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            <Rows columns={columns as readonly Column<unknown>[]} rows={drawn} rowKey={rowKey as KeyOf} href={href as KeyOf | undefined} />
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {paging && <Paging {...paging} shown={rows?.length ?? 0} label={label} />}
    </>
  );
}

/** So many rows are drawn at once when a list is opened that is known already: what is seen without scrolling. */
const FIRST = 15;

// Names break anywhere, so that a hostile one cannot widen the page: without this, they would be squeezed to a letter a line.
const NAME_WIDTH = 180;
const CELL_WIDTH = 110;

/** So wide a table is at least; below that it scrolls. */
function widthOf(columns: readonly Pick<Column<never>, 'width'>[]): number {
  return columns.reduce((sum, { width }, place) => sum + (typeof width === 'number' ? width : place === 0 ? NAME_WIDTH : CELL_WIDTH), 0);
}

type KeyOf = (row: unknown) => string;

interface RowsProps {
  columns: readonly Column<unknown>[];
  rows: readonly unknown[] | undefined;
  rowKey: KeyOf;
  href: KeyOf | undefined;
}

const Rows = memo(
  function Rows({ columns, rows, rowKey, href }: RowsProps) {
    if (rows === undefined) return <WaitingRows columns={columns.length} />;
    return rows.map((row) => <TableRow key={rowKey(row)} row={row} columns={columns} href={href} />);
  },
  (before, after) => before.rows === after.rows && before.columns === after.columns,
);

interface TableRowProps {
  row: unknown;
  columns: readonly Column<unknown>[];
  href: KeyOf | undefined;
}

const TableRow = memo(function TableRow({ row, columns, href }: TableRowProps) {
  return (
    <Table.Tr role="row">
      {columns.map(({ header, cell, numeric, phone, width }, place) => (
        <Table.Td key={header} role="cell" data-header={header} data-numeric={numeric} data-phone={phone}>
          <div {...(width !== undefined && { style: { '--most': typeof width === 'number' ? `${width}px` : width } as CSSProperties })}>
            {place === 0 && href ? (
              <Anchor component={Link} href={href(row)} size="sm" fw={500} underline="hover">
                {cell(row)}
              </Anchor>
            ) : (
              cell(row)
            )}
          </div>
        </Table.Td>
      ))}
    </Table.Tr>
  );
}, isSameLine);

/** Drawn anew for another row or other columns alone: where a row leads to follows from the row. */
function isSameLine(before: TableRowProps, after: TableRowProps): boolean {
  return before.row === after.row && before.columns === after.columns;
}

function WaitingRows({ columns }: { columns: number }) {
  return Array.from({ length: 5 }, (_, row) => (
    <Table.Tr key={row} role="row">
      {Array.from({ length: columns }, (__, column) => (
        <Table.Td key={column} role="cell">
          <Skeleton h={16} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
