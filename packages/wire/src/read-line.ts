import type { Readable } from 'node:stream';

const newline = 10;

/**
 * Reads the first line, without its newline; the rest stays in the stream. Undefined when the stream ends or breaks
 * first, or when the line reaches `mostBytes`.
 */
export function readLine(stream: Readable, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const finish = (line: string | undefined): void => {
      stream.off('readable', readMore).off('end', giveUp).off('error', giveUp).off('close', giveUp);
      resolve(line);
    };
    const giveUp = (): void => finish(undefined);
    const readMore = (): void => {
      const chunk: unknown = stream.read();
      if (!Buffer.isBuffer(chunk)) return;
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf(newline);
      if (end >= maxBytes || (end === -1 && read.length >= maxBytes)) giveUp();
      else if (end !== -1) {
        const rest = read.subarray(end + 1);
        if (rest.length > 0) stream.unshift(rest);
        finish(read.subarray(0, end).toString());
      }
    };
    stream.on('readable', readMore).on('end', giveUp).on('error', giveUp).on('close', giveUp);
  });
}
