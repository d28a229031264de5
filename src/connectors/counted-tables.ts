/** What a check found, in words. */
export function countedTables(count: number): string {
  return count === 1 ? '1 table or view' : `${count} tables and views`;
}
