// Encrypted files of a backup: AES-256-GCM in frames, so that a file of any size is read and written piece by piece.
//   salt (32 bytes), then frames: length of the data with the highest bit set in the last one (4 bytes), data, tag (16 bytes)
// Each file has a key of its own, derived from the salt and the file's name, and a frame's nonce is its number. So a frame that is
// changed, moved, left out or taken from another file does not open, and neither does a file without its end.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
export const frameBytes = 256 * 1024;
const saltBytes = 32;
const headBytes = 4;
const tagBytes = 16;
const lastFlag = 0x8000_0000;

const keyOfFile = (key: Buffer, salt: Buffer, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, `berth-backup-file.v1.${name}`, 32));

function nonceOf(frame: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(frame), 4);
  return nonce;
}

export async function* encryptFrames(key: Buffer, name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltBytes);
  const fileKey = keyOfFile(key, salt, name);
  yield salt;
  const seal = (data: Buffer, frame: number, isLast: boolean): Buffer => {
    const head = Buffer.alloc(headBytes);
    head.writeUInt32BE((data.length | (isLast ? lastFlag : 0)) >>> 0);
    const cipher = createCipheriv(algorithm, fileKey, nonceOf(frame), { authTagLength: tagBytes });
    cipher.setAAD(head);
    return Buffer.concat([head, cipher.update(data), cipher.final(), cipher.getAuthTag()]);
  };
  let frame = 0;
  let held: Buffer | undefined;
  for await (const data of inPieces(source, frameBytes)) {
    if (held !== undefined) yield seal(held, frame++, false);
    held = data;
  }
  yield seal(held ?? Buffer.alloc(0), frame, true);
}

export async function* decryptFrames(key: Buffer, name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ExactReader(source);
  const fileKey = keyOfFile(key, await reader.take(saltBytes), name);
  for (let frame = 0; ; frame += 1) {
    const head = await reader.take(headBytes);
    const length = (head.readUInt32BE() & ~lastFlag) >>> 0;
    const isLast = (head.readUInt32BE() & lastFlag) !== 0;
    if (length > frameBytes) throw new Error(damaged(name));
    const decipher = createDecipheriv(algorithm, fileKey, nonceOf(frame), { authTagLength: tagBytes });
    decipher.setAAD(head);
    const data = await reader.take(length);
    decipher.setAuthTag(await reader.take(tagBytes));
    yield open(decipher, data, name);
    if (!isLast) continue;
    if (!(await reader.isAtEnd())) throw new Error(damaged(name));
    return;
  }
}

const damaged = (name: string): string =>
  `${name} is damaged, or the key is another one. Use another backup, or the key that it was made with.`;

function open(decipher: ReturnType<typeof createDecipheriv>, data: Buffer, name: string): Buffer {
  try {
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch (cause) {
    throw new Error(damaged(name), { cause });
  }
}

/** Pieces of `size` bytes; only the last one is shorter. */
async function* inPieces(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of source) {
    let rest = chunk;
    while (length + rest.length >= size) {
      const end = size - length;
      yield Buffer.concat([...parts, rest.subarray(0, end)]);
      rest = rest.subarray(end);
      parts = [];
      length = 0;
    }
    if (rest.length > 0) parts.push(rest);
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** Reads exactly as many bytes as are asked for. */
class ExactReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(bytes: number): Promise<Buffer> {
    const parts = [this.#rest];
    for (let length = this.#rest.length; length < bytes; ) {
      const next = await this.#source.next();
      if (next.done === true) throw new Error('A file of the backup ends too early. Use another backup.');
      parts.push(next.value);
      length += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(bytes);
    return all.subarray(0, bytes);
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return true;
      this.#rest = next.value;
    }
    return false;
  }
}
