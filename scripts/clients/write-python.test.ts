import { expect, test } from 'vitest';
import { synchronous } from './write-python.ts';

test('nothing of the synchronous client waits', () => {
  const source = [
    'import asyncio',
    'from .guest import AsyncGuest',
    'async def run(guest: AsyncGuest) -> AsyncIterator[str]:',
    '    async with guest as open:',
    '        async for line in open.aiter_lines():',
    '            yield await read(line)',
    '    await asyncio.sleep(1)',
  ].join('\n');
  expect(synchronous(source)).toBe(
    [
      '# Made from the asynchronous source by `pnpm clients`.',
      'import time',
      'from .guest import Guest',
      'def run(guest: Guest) -> Iterator[str]:',
      '    with guest as open:',
      '        for line in open.iter_lines():',
      '            yield read(line)',
      '    time.sleep(1)',
    ].join('\n'),
  );
});
