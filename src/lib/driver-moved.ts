/** A driver does not have any more what we hold on to inside it: a developer has to look how its new version does that. */
export class DriverMoved extends Error {
  override readonly name = 'DriverMoved';

  constructor(driver: string, what: string, file: string) {
    super(`${driver} has moved ${what}. Look where its version has that now, and put ${file} right.`);
  }
}
