import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A JSON document as bytes. It is compressed at most once, however many requests ask for it. */
export interface JsonBody {
  readonly plain: Buffer;
  gzipped(): Promise<Buffer>;
}

const compress: (bytes: Buffer) => Promise<Buffer> = promisify(gzip);

export function jsonBody(text: string): JsonBody {
  const plain = Buffer.from(text);
  let compressed: Promise<Buffer> | undefined;
  return {
    plain,
    gzipped() {
      compressed ??= compress(plain);
      return compressed;
    },
  };
}
