/** A mirror that goes straight into a table which was empty, as it is kept with the position: what it is, and how many rows it has put there. */
export interface StraightLoad {
  stateWith(loaded: number): string;
  /** Undefined for any other work. */
  loadedIn(state: string | undefined): number | undefined;
}

export function straightLoad(work: object): StraightLoad {
  const prefix = `straight ${JSON.stringify(work)} `;
  return {
    stateWith: (loaded) => `${prefix}${loaded}`,
    loadedIn: (state) => (state?.startsWith(prefix) ? Number(state.slice(prefix.length)) : undefined),
  };
}
