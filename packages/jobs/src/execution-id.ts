import { createHash } from 'node:crypto';

/**
 * The id is derived from the job and the message (a UUID of version 8), so the primary key prevents one message from
 * starting two executions, however many servers receive it at once.
 */
export function executionIdOf(jobUid: string, messageId: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(['execution', jobUid, messageId]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
