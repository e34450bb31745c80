import { open } from 'node:fs/promises';
import { parseEntry } from './log-entry.ts';

const tailBytes = 8_192;

/** End of a container's output, for a message; empty when it cannot be read. */
export async function lastOutput(logFile: string | undefined): Promise<string> {
  if (logFile === undefined) return '';
  const file = await open(logFile, 'r').catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - tailBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(tailBytes), 0, tailBytes, from);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The first line may be cut in the middle: then it does not parse and is left out.
    return lines.map((line) => parseEntry(line)?.text ?? '').join('');
  } catch {
    return '';
  } finally {
    await file.close();
  }
}
