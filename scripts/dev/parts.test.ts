import { expect, test } from 'vitest';
import { tryInstall } from './parts.ts';

const part = (install: () => Promise<void>) => ({ installable: { name: 'some-part', install }, without: 'less works' });

test('a part that cannot be installed is named with its effect and the command that installs it', async () => {
  const line = await tryInstall(part(() => Promise.reject(new Error('no network'))));
  expect(line).toBe('  missing   some-part: less works. Run `pnpm engines install some-part`, then start again.');
});

test('an installed part is not mentioned', async () => {
  expect(await tryInstall(part(async () => {}))).toBeUndefined();
});
