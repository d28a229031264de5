/** Some systems answer at once, others over a network. */
export type Eventual<T> = T | Promise<T>;

/**
 * Does something in one transaction of the target, all or nothing. Where the system gives a transaction up for the sake of another, it is
 * done again from its beginning.
 */
export type Transact = <T>(work: () => Eventual<T>) => Promise<T>;
