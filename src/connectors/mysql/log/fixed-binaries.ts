// Types of MariaDB that are kept as a fixed number of bytes, as the server writes them.

/** A UUID that is made of a time (or by chance) is kept with its last part first, so that it sorts well; later versions as they are. */
export function uuidText(bytes: Buffer): string {
  const isTurned = ((bytes[6] as number) & 0x80) !== 0 && (bytes[8] as number) > 0 && (bytes[8] as number) < 0x60;
  const plain = isTurned
    ? Buffer.concat([bytes.subarray(12, 16), bytes.subarray(10, 12), bytes.subarray(8, 10), bytes.subarray(6, 8), bytes.subarray(0, 6)])
    : bytes;
  return plain.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function inet4Text(bytes: Buffer): string {
  return bytes.subarray(0, 4).join('.');
}

export function inet6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2));
  let gap = { from: -1, length: 0 };
  for (let from = 0; from < 8; from++) {
    let to = from;
    while (to < 8 && groups[to] === 0) to++;
    if (to - from > gap.length) gap = { from, length: to - from };
  }
  // An address of IPv4 within one of IPv6.
  const isMapped = gap.from === 0 && (gap.length === 6 || (gap.length === 5 && groups[5] === 0xffff));
  if (isMapped) return `::${gap.length === 5 ? 'ffff:' : ''}${inet4Text(bytes.subarray(12))}`;
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (gap.from === -1) return text(groups);
  return `${text(groups.slice(0, gap.from))}::${text(groups.slice(gap.from + gap.length))}`;
}
