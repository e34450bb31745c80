import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assets, assetUrl, programPath, programs } from './index.ts';

test.each(assets)('%s is there', (asset) => {
  expect(existsSync(assetUrl(asset))).toBe(true);
});

test.each(Object.keys(programs) as (keyof typeof programs)[])('the program %s is there', (program) => {
  expect(existsSync(programPath(program))).toBe(true);
});
