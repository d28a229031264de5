/** What follows from what a stream is. */
interface KindOfStream {
  /**
   * What is new is found by the values of a field, and any field that grows can be chosen; rows in which it is null are not found. Elsewhere the
   * connector finds it in its own way (an API by what it declares, a file by its place), and only what it lists in `cursors` can be chosen.
   */
  readonly isAskedByField: boolean;
  /** Without a cursor, a read goes on behind the place where the last one ended. */
  readonly isReadOnByPlace: boolean;
  /** Its types are guesses from the values that it has now: an odd cell changes them, and without rows nothing is known of them. */
  readonly guessesTypes: boolean;
  /** Its types bind the writer. Elsewhere they are guesses, or grow. */
  readonly bindsTypes: boolean;
}

export const STREAM_KINDS = {
  table: { isAskedByField: true, isReadOnByPlace: false, guessesTypes: false, bindsTypes: true },
  view: { isAskedByField: true, isReadOnByPlace: false, guessesTypes: false, bindsTypes: false },
  file: { isAskedByField: false, isReadOnByPlace: true, guessesTypes: true, bindsTypes: false },
  resource: { isAskedByField: false, isReadOnByPlace: false, guessesTypes: false, bindsTypes: false },
} as const satisfies Readonly<Record<string, KindOfStream>>;

export type StreamKind = keyof typeof STREAM_KINDS;
