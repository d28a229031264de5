import { createHash } from 'node:crypto';

/**
 * Of the files of each group a half, by chance: for one seed always the same, for another one others. What is in no group is always there. So what takes long and has
 * siblings has its turn with every second commit.
 */
export function takingTurns(files: readonly string[], groups: readonly RegExp[], seed: string): string[] {
  const place = (file: string): string => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  const groupOf = (file: string): RegExp | undefined => groups.find((group) => group.test(file));
  const chosen = new Set(
    groups.flatMap((group) => {
      const ofGroup = files.filter((file) => groupOf(file) === group).sort((one, other) => (place(one) < place(other) ? -1 : 1));
      return ofGroup.slice(0, Math.ceil(ofGroup.length / 2));
    }),
  );
  return files.filter((file) => groupOf(file) === undefined || chosen.has(file));
}
