// Token in the address of a task's arguments. It names one task of one execution and is signed, so no credential is
// needed at that address, which cannot be guessed: 16 bytes of the execution's id, 4 bytes of the task's index, then the
// first 16 bytes of HMAC-SHA256 over these 20.
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface TaskDataName {
  readonly executionId: string;
  readonly index: number;
}

const idBytes = 16;
const nameBytes = idBytes + 4;
const signatureBytes = 16;

/** 36 bytes fill 48 characters without spare bits, so each token has exactly one spelling. */
const tokenForm = /^[A-Za-z0-9_-]{48}$/;

export function taskDataToken(key: Buffer, executionId: string, index: number): string {
  const name = Buffer.alloc(nameBytes);
  if (name.write(executionId.replaceAll('-', ''), 'hex') !== idBytes)
    throw new RangeError(`Expected the id of an execution, not "${executionId}".`);
  name.writeUInt32BE(index, idBytes);
  return Buffer.concat([name, sign(key, name)]).toString('base64url');
}

/** Undefined for a text that was not signed with this key. */
export function readTaskDataToken(key: Buffer, text: string): TaskDataName | undefined {
  if (!tokenForm.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const name = bytes.subarray(0, nameBytes);
  if (!timingSafeEqual(bytes.subarray(nameBytes), sign(key, name))) return undefined;
  return { executionId: uuidOf(name), index: name.readUInt32BE(idBytes) };
}

const sign = (key: Buffer, name: Buffer): Buffer =>
  createHmac('sha256', key).update(name).digest().subarray(0, signatureBytes);

const uuidOf = (name: Buffer): string =>
  name.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
