import { createHash, hash } from 'node:crypto';

const NEWLINE = 0x0a;
const WORDS = 8;
/** So many sums of words fit exactly into a double. */
const MOST_SUMS = 1_000_000;

/** The digest of all rows of a stream. It counts them: a row that is there twice is another digest than one that is there once, or never. */
export interface RowsDigest {
  add(lines: Buffer): void;
  /** Hexadecimal. */
  take(): string;
}

/** Rows with a key come in its order, so their bytes are all there is to it. Others come in any order. */
export function rowsDigest(hasKey: boolean): RowsDigest {
  return hasKey ? inOrder() : inAnyOrder();
}

function inOrder(): RowsDigest {
  const digest = createHash('sha256');
  return { add: (lines) => digest.update(lines), take: () => digest.digest('hex') };
}

/** The sum of the digests of all rows, as numbers of 256 bits, and how many there are. */
function inAnyOrder(): RowsDigest {
  const sums = new Float64Array(WORDS);
  let rows = 0;
  const carry = (): void => {
    for (let word = 0; word < WORDS; word++) {
      const over = Math.floor((sums[word] as number) / 2 ** 32);
      sums[word] = (sums[word] as number) - over * 2 ** 32;
      if (word + 1 < WORDS) sums[word + 1] = (sums[word + 1] as number) + over;
    }
  };
  return {
    add: (lines) => {
      for (let start = 0; start < lines.length; ) {
        const end = lines.indexOf(NEWLINE, start) + 1;
        const one = hash('sha256', lines.subarray(start, end), 'buffer');
        for (let word = 0; word < WORDS; word++) sums[word] = (sums[word] as number) + one.readUInt32LE(word * 4);
        if (++rows % MOST_SUMS === 0) carry();
        start = end;
      }
    },
    take: () => {
      carry();
      return hash('sha256', JSON.stringify([rows, ...sums]));
    },
  };
}
