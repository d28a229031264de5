import { Anchor, Box, Skeleton, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ErrorState } from '../page/error-state.tsx';
import { Paging, type PagingPlace } from './paging.tsx';
import './data-table.css';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  numeric?: boolean;
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
}

/** A list as a table. On a phone every row is a few short lines: what it is of, how that is, and the rest in small letters. */
export function DataTable<Row>({ label, columns, rows, rowKey, href, error, refetch, empty, paging }: DataTableProps<Row>) {
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
      <Table.ScrollContainer type="native" minWidth={widthOf(columns)} tabIndex={0} aria-label={label} role="region" className="data-table">
        {/* The roles say what the elements are, also where they are not laid out as a table. */}
        <Table role="table" highlightOnHover={href !== undefined} aria-label={label} aria-busy={rows === undefined}>
          <Table.Thead role="rowgroup">
            <Table.Tr role="row">
              {columns.map(({ header, numeric, width }) => (
                <Table.Th
                  key={header}
                  role="columnheader"
                  scope="col"
                  ta={numeric ? 'right' : 'left'}
                  {...(width !== undefined && { w: width })}
                >
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody role="rowgroup">
            {rows === undefined ? (
              <WaitingRows columns={columns.length} />
            ) : (
              rows.map((row) => <TableRow key={rowKey(row)} row={row} columns={columns} href={href} />)
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {paging && <Paging {...paging} shown={rows?.length ?? 0} label={label} />}
    </>
  );
}

// Names break anywhere, so that a hostile one cannot widen the page: without this, they would be squeezed to a letter a line.
const NAME_WIDTH = 180;
const CELL_WIDTH = 110;

/** So wide a table is at least; below that it scrolls. */
function widthOf(columns: readonly Pick<Column<never>, 'width'>[]): number {
  return columns.reduce((sum, { width }, place) => sum + (typeof width === 'number' ? width : place === 0 ? NAME_WIDTH : CELL_WIDTH), 0);
}

interface TableRowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  href: ((row: Row) => string) | undefined;
}

function TableRow<Row>({ row, columns, href }: TableRowProps<Row>) {
  return (
    <Table.Tr role="row">
      {columns.map(({ header, cell, numeric, phone }, place) => (
        <Table.Td key={header} role="cell" data-header={header} data-numeric={numeric} data-phone={phone}>
          <div>
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
