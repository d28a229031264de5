import type { DeedLine } from './records.ts';
import { OrderRefused } from './refusals.ts';
import type { LineTally } from './tally.ts';

/** A line as it was asked for: without a quantity, all that is left of it. */
export interface LineChoice {
  line: number;
  quantity?: number | undefined;
}

interface What {
  /** How much of a line is left for this. */
  left: (line: LineTally) => number;
  /** What is done with it, for messages. */
  verb: 'ship' | 'return' | 'refund';
}

/** The lines that were asked for with their quantities, or all that is left. Throws `OrderRefused` when that is more than there is. */
export function chosenLines(asked: readonly LineChoice[] | undefined, lines: readonly LineTally[], what: What): DeedLine[] {
  const chosen = asked ? named(asked, lines, what) : allThatIsLeft(lines, what);
  if (chosen.length === 0) {
    throw new OrderRefused('CONFLICT', `Nothing of the order is left to ${what.verb}.`, [
      { field: 'lines', reason: `nothing is left to ${what.verb}` },
    ]);
  }
  return chosen;
}

function allThatIsLeft(lines: readonly LineTally[], { left }: What): DeedLine[] {
  return lines.map((line, index) => ({ line: index + 1, quantity: left(line) })).filter(({ quantity }) => quantity > 0);
}

function named(asked: readonly LineChoice[], lines: readonly LineTally[], { left, verb }: What): DeedLine[] {
  const unknown = asked.flatMap(({ line }, index) => {
    if (asked.findIndex((other) => other.line === line) < index) return [{ field: `lines[${index}].line`, reason: 'is given already' }];
    if (line <= lines.length) return [];
    return [
      {
        field: `lines[${index}].line`,
        reason:
          lines.length === 1 ? 'must be 1: the order has one line' : `must be at most ${lines.length}, as the order has so many lines`,
        kept: 'is no line of the order',
      },
    ];
  });
  if (unknown.length > 0) throw new OrderRefused('INVALID_PARAMS', '', unknown);
  const faults = asked.flatMap(({ line, quantity }, index) => {
    const there = left(lines[line - 1] as LineTally);
    if (quantity === undefined ? there > 0 : quantity <= there) return [];
    const field = quantity === undefined ? `lines[${index}].line` : `lines[${index}].quantity`;
    return [
      { field, reason: `${there} of line ${line} ${there === 1 ? 'is' : 'are'} left to ${verb}`, kept: `is more than is left to ${verb}` },
    ];
  });
  if (faults.length > 0) {
    throw new OrderRefused('CONFLICT', `That is more than is left to ${verb}.`, faults);
  }
  return asked.map(({ line, quantity }) => ({ line, quantity: quantity ?? left(lines[line - 1] as LineTally) }));
}
