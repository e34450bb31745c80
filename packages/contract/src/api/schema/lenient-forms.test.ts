import { describe, expect, test } from 'vitest';
import { EnvOverride } from './env-override.ts';
import { Repositories } from './repositories.ts';
import { Port } from './shared.ts';

describe('repositories of a CI job', () => {
  const repositories = ['acme/app', 'acme/web.site'];

  test.each([
    ['an array', repositories],
    ['JSON text', JSON.stringify(repositories)],
    ['comma-separated text', ' acme/app , acme/web.site,'],
  ])('%s gives the same array', (_, given) => {
    expect(Repositories.parse(given)).toEqual(repositories);
  });

  test('empty text is an empty list', () => {
    expect(Repositories.parse('')).toEqual([]);
  });

  test.each([['["acme/app"'], ['[1]'], ['{"a":1}'], ['acme'], [['acme/app', 'x/y/z']], [7], [null]])(
    '%j is refused',
    (given) => {
      expect(Repositories.safeParse(given).success).toBe(false);
    },
  );
});

describe('environment of one execution', () => {
  test('an object and its JSON text give the same variables', () => {
    expect(EnvOverride.parse({ A: '1' })).toEqual({ A: '1' });
    expect(EnvOverride.parse('{"A":"1"}')).toEqual({ A: '1' });
  });

  test.each([['{'], ['[]'], ['"text"'], ['{"A":1}'], [{ A: 1 }], [{ '': 'x' }], ['{"":"x"}']])(
    '%j is refused',
    (given) => {
      expect(EnvOverride.safeParse(given).success).toBe(false);
    },
  );

  test('text cannot carry more variables than an object', () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`V${index}`, '']));
    expect(EnvOverride.safeParse(many).success).toBe(false);
    expect(EnvOverride.safeParse(JSON.stringify(many)).success).toBe(false);
  });
});

test('a port protocol is read in any case', () => {
  expect(Port.parse({ target: 80, protocol: 'tcp' }).protocol).toBe('TCP');
  expect(Port.safeParse({ target: 80, protocol: 'sctp' }).success).toBe(false);
});
