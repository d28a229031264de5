import { compileProgram } from '../../engine/expression/compile.ts';
import { ExpressionError } from '../../engine/expression/values.ts';
import { beginBatch, rowsMayCost } from '../../engine/expression/work.ts';
import { OutsideError } from '../../outside/errors.ts';
import { CONDITION_FIELDS } from '../condition-fields.ts';
import type { FeedRow } from '../rows.ts';

/** What a condition may cost for one event: some ten milliseconds. All endpoints wait for it. */
const MOST_STEPS = 2_000_000;

/** Whether an event is meant. Only for threads: it computes what users wrote. */
export type MeantEvents = (event: Pick<FeedRow, 'type' | 'object_id' | 'data'>) => boolean;

/** An event for which the condition has no answer, as it compares what cannot be compared or takes too long, is not meant. */
export function meantBy(condition: string): MeantEvents {
  rowsMayCost(MOST_STEPS);
  const { evaluate } = compileProgram(condition, CONDITION_FIELDS);
  return ({ type, object_id, data }) => {
    beginBatch();
    try {
      return evaluate([type, object_id, data]) === true;
    } catch (error) {
      if (error instanceof ExpressionError || error instanceof OutsideError) return false;
      throw error;
    }
  };
}
