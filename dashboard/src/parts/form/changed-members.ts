/** The members that differ: what was not touched is not sent, so that a name can be changed while all else is out of reach. */
export function changedMembers<Body extends object>(before: Body, after: Body): Partial<Body> {
  const changed = Object.entries(after).filter(([member, value]) => JSON.stringify(value) !== JSON.stringify(before[member as keyof Body]));
  return Object.fromEntries(changed) as Partial<Body>;
}
