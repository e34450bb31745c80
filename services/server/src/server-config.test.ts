import { expect, test } from 'vitest';
import { z } from 'zod';
import { mergeSections } from './server-config.ts';

test('two roles may share a section', () => {
  const postgres = z.object({ url: z.string() });
  const merged = mergeSections([
    { name: 'api', sections: { postgres } },
    { name: 'gateway', sections: { postgres } },
  ]);
  expect(merged).toEqual({ postgres });
});

test('one section never has two meanings', () => {
  const readers = ['api', 'gateway'].map((name) => ({
    name,
    sections: { postgres: z.object({ [name]: z.string() }) },
  }));
  expect(() => mergeSections(readers)).toThrow('Section "postgres" of "gateway" is declared twice.');
});
