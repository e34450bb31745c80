import type { Readable } from 'node:stream';

const newline = 10;

/** The first line without its end; what follows it stays in the stream. Undefined when none comes, or one too long. */
export function readLine(stream: Readable, mostBytes: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const finish = (line?: string): void => {
      stream.off('readable', look).off('end', giveUp).off('error', giveUp).off('close', giveUp);
      resolve(line);
    };
    const giveUp = (): void => finish();
    const look = (): void => {
      const chunk: unknown = stream.read();
      if (!Buffer.isBuffer(chunk)) return;
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf(newline);
      if (end === -1 && read.length < mostBytes) return;
      const isLine = end !== -1 && end <= mostBytes;
      if (isLine && end + 1 < read.length) stream.unshift(read.subarray(end + 1));
      finish(isLine ? read.toString('utf8', 0, end) : undefined);
    };
    stream.on('readable', look).on('end', giveUp).on('error', giveUp).on('close', giveUp);
  });
}
