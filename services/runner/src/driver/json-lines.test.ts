import { expect, test } from 'vitest';
import { z } from 'zod';
import { jsonLines } from './json-lines.ts';

test('objects are parsed whole, however the stream is cut', async () => {
  const bytes = Buffer.from('{"a":"é"}\r\n\n{"a":"2"}\n{"a":"3"}');
  for (let size = 1; size <= bytes.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const found = await Array.fromAsync(jsonLines(asStream(chunks), z.object({ a: z.string() })));
    expect(found).toEqual([{ a: 'é' }, { a: '2' }, { a: '3' }]);
  }
});

async function* asStream(chunks: readonly Buffer[]) {
  yield* chunks;
}
