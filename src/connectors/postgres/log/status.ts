/** What we tell the server: how much has come, and how much of it is safe at the target. */
interface StandbyStatus {
  readonly received: bigint;
  readonly safe: bigint;
}

const EPOCH = 946_684_800_000n;
const SIZE = 34;

/** A standby status update. */
export function statusMessage({ received, safe }: StandbyStatus, now: number): Buffer {
  const message = Buffer.allocUnsafe(SIZE);
  message[0] = 0x72;
  message.writeBigUInt64BE(received > safe ? received : safe, 1);
  message.writeBigUInt64BE(safe, 9);
  message.writeBigUInt64BE(safe, 17);
  message.writeBigInt64BE((BigInt(Math.round(now)) - EPOCH) * 1000n, 25);
  message[33] = 0;
  return message;
}
