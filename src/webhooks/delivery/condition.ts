import { compileProgram } from '../../engine/expression/compile.ts';
import { ExpressionError } from '../../engine/expression/values.ts';
import { beginBatch, rowsMayCost, spentOnRow } from '../../engine/expression/work.ts';
import { OutsideError } from '../../outside/errors.ts';
import { CONDITION_FIELDS } from '../condition-fields.ts';
import type { Endpoint } from '../endpoint.ts';
import type { FeedRow } from '../rows.ts';
import { Accounts } from './accounts.ts';

/** What a condition may cost for one event: some ten milliseconds. All endpoints wait for it. */
const MOST_STEPS = 2_000_000;
/** To read the data takes so many steps for each character. */
const READING = 5;
const DATA = CONDITION_FIELDS.findIndex(({ name }) => name === 'data');

/** Which events are meant. Only for threads: it computes what users wrote. */
export interface EventCondition {
  /** False also for an event for which there is no answer, as it compares what cannot be compared or takes too long. */
  holds(event: Pick<FeedRow, 'type' | 'object_id' | 'data'>): boolean;
  /** Milliseconds until it may be computed again, as its owner has had enough for now. */
  rest(): number;
}

/** Makes the conditions of endpoints; those of one owner share an account. */
export function createConditions(
  accounts = new Accounts(),
): (endpoint: Pick<Endpoint, 'condition' | 'owner'>) => EventCondition | undefined {
  return ({ condition, owner }) => (condition === null ? undefined : conditionOn(condition, owner, accounts));
}

function conditionOn(condition: string, owner: string, accounts: Accounts): EventCondition {
  rowsMayCost(MOST_STEPS);
  const { evaluate, uses } = compileProgram(condition, CONDITION_FIELDS);
  const readsData = uses.includes(DATA);
  return {
    holds: ({ type, object_id, data }) => {
      beginBatch();
      try {
        return evaluate([type, object_id, data]) === true;
      } catch (error) {
        if (error instanceof ExpressionError || error instanceof OutsideError) return false;
        throw error;
      } finally {
        accounts.spend(owner, spentOnRow() + (readsData ? data.length * READING : 0));
      }
    },
    rest: () => accounts.rest(owner),
  };
}
