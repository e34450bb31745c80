import type { z } from 'zod';

/** Parses a stream of the engine, one JSON object per line. Blank lines are keep-alives. */
export async function* jsonLines<T>(chunks: AsyncIterable<unknown>, shape: z.ZodType<T>): AsyncGenerator<T> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield parsed(line, shape);
  }
  if (rest.trim() !== '') yield parsed(rest, shape);
}

const parsed = <T>(line: string, shape: z.ZodType<T>): T => shape.parse(JSON.parse(line));
