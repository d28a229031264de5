import { cleanUp, cleanUpOnSignals, isInterrupted } from './cleanup.ts';
import { missed, table } from './report.ts';

/** One part of a benchmark. */
export interface Part {
  title: string;
  run: () => Promise<void>;
}

/** The parts that were asked for; ends the program with words about how to call it when one is not there or a number is none. */
export function partsAsked<Name extends string>(
  names: readonly Name[],
  asked: readonly string[],
  numbers: readonly boolean[],
  usage: string,
): Name[] {
  const unknown = asked.filter((name) => !names.includes(name as Name));
  if (unknown.length > 0 || !numbers.every(Boolean)) {
    console.error(`Usage: npm run ${usage} [--only ${names.join('|')}]…`);
    process.exit(2);
  }
  return asked as Name[];
}

/** Runs the parts one after the other, puts everything away, and prints the report. */
export async function runParts(command: string, parts: readonly Part[], client?: string): Promise<void> {
  cleanUpOnSignals();
  try {
    for (const { title, run } of parts) {
      console.log(`\n${title}`);
      await run();
      await cleanUp();
    }
    const verdict = missed() === 0 ? 'Every target was reached.' : `Targets MISSED: ${missed()}.`;
    console.log(`\n${table(command, client)}\n\n${verdict}`);
  } catch (error) {
    if (!isInterrupted()) console.error(error);
    process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}
