import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LiveEnvironment } from './live-environment.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'live-environment-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const live = (variables: NodeJS.ProcessEnv, hasAccount = false) =>
  new LiveEnvironment({ variables, stateFolder: folder, hasAccount });

async function extraFile(bytes: string | Buffer): Promise<string> {
  const path = join(folder, 'extra');
  await writeFile(path, bytes);
  return path;
}

describe('the file of extra variables', () => {
  it('an existing variable wins over a variable of the file', async () => {
    const variables: NodeJS.ProcessEnv = { A: 'boot' };
    expect(live(variables).addExtra(await extraFile('A\0file\0B\0file\0'))).toBeUndefined();
    expect(variables).toEqual({ A: 'boot', B: 'file' });
  });

  it('values may contain line breaks, quotes and equals signs, or be empty', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(
          fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/),
          fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        ),
        async (given) => {
          const variables: NodeJS.ProcessEnv = Object.create(null);
          const text = Object.entries(given)
            .map(([name, value]) => `${name}\0${value}\0`)
            .join('');
          live(variables).addExtra(await extraFile(text));
          expect({ ...variables }).toEqual({ ...given });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('R-53 one bad variable does not lose the rest, and is named', async () => {
    const variables: NodeJS.ProcessEnv = {};
    const bytes = Buffer.concat([
      Buffer.from('\0no name\0A=B\0x\0BYTES\0'),
      Buffer.from([0xff, 0xfe, 0]),
      Buffer.from(`LONG\0${'x'.repeat(131_072)}\0GOOD\0yes\0HALF\0val`),
    ]);
    const message = live(variables).addExtra(await extraFile(bytes));
    expect(variables).toEqual({ GOOD: 'yes' });
    expect(message).toMatch(/A=B, BYTES, LONG, HALF/);
  });

  it('a file of more than 1 MB is refused as a whole, with a reason', async () => {
    const variables: NodeJS.ProcessEnv = {};
    const text = Array.from({ length: 20 }, (_, index) => `N${index}\0${'x'.repeat(60_000)}\0`).join('');
    expect(live(variables).addExtra(await extraFile(text))).toMatch(/at most 1000000/);
    expect(variables).toEqual({});
  });

  it('a missing file sets no variable and returns a warning', () => {
    expect(live({}).addExtra(join(folder, 'missing'))).toMatch(/ENOENT/);
  });
});

describe('generations', () => {
  it('R-53 a variable that a new generation lacks is unset, or gets its value from boot back', async () => {
    const variables: NodeJS.ProcessEnv = { PATH: '/bin' };
    const environment = live(variables);
    await environment.apply(1, { PATH: '/usr/bin', A: '1' });
    expect(variables).toEqual({ PATH: '/usr/bin', A: '1' });
    expect(await environment.apply(2, { B: '2' })).toEqual({ generation: 2, applied: 1, removed: 2, skipped: [] });
    expect(variables).toEqual({ PATH: '/bin', B: '2' });
  });

  it('an older generation is refused and changes no variable', async () => {
    const variables: NodeJS.ProcessEnv = {};
    const environment = live(variables);
    await environment.apply(5, { A: '5' });
    await expect(environment.apply(4, { A: '4' })).rejects.toMatchObject({ status: 409 });
    expect(variables).toEqual({ A: '5' });
  });

  it('a restarted guest restores the generation and unsets it with the next one', async () => {
    await live({}).apply(3, { A: '3' });
    const variables: NodeJS.ProcessEnv = {};
    const again = live(variables);
    expect(again.restore()).toBeUndefined();
    expect(again.generation).toBe(3);
    expect(variables).toEqual({ A: '3' });
    await again.apply(4, {});
    expect(variables).toEqual({});
  });

  it('R-11 the kept generation can be read by its owner alone', async () => {
    await live({}).apply(1, { SECRET: 'x' });
    expect((await stat(join(folder, 'environment.json'))).mode & 0o777).toBe(0o600);
  });

  it('without replace, the variables of earlier generations stay set', async () => {
    const variables: NodeJS.ProcessEnv = {};
    const environment = live(variables);
    await environment.apply(1, { A: '1' });
    await environment.apply(2, { B: '2' }, false);
    expect(variables).toEqual({ A: '1', B: '2' });
  });

  it('a generation cannot change the runner’s key, the state folder or the account’s names', async () => {
    const variables: NodeJS.ProcessEnv = { HOME: '/home/app' };
    const { skipped } = await live(variables, true).apply(1, {
      SANDBOX_CONTROL_KEY: 'x',
      HOME: '/root',
      N: 7,
      OK: 'x',
    });
    expect(skipped).toEqual(['SANDBOX_CONTROL_KEY', 'HOME', 'N']);
    expect(variables).toEqual({ HOME: '/home/app', OK: 'x' });
  });

  it('generations that are applied at once take turns, and the newest one wins', async () => {
    const variables: NodeJS.ProcessEnv = {};
    const environment = live(variables);
    const results = await Promise.allSettled([1, 3, 2].map((n) => environment.apply(n, { A: String(n) })));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(variables).toEqual({ A: '3' });
  });

  it('a stored generation that no guest wrote is ignored', async () => {
    await writeFile(join(folder, 'environment.json'), '{"generation":"x"}');
    expect(live({}).restore()).toMatch(/not what a guest wrote/);
  });
});
