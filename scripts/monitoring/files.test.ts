import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { alertGroups } from './alerts.ts';
import { monitoringFiles } from './files.ts';

const folder = resolve(import.meta.dirname, '../../deploy/monitoring');
const files = monitoringFiles();
const alerts = alertGroups.flatMap((group) => group.alerts);

test.each(Object.entries(files))('deploy/monitoring/%s is what `pnpm monitoring` writes', (path, text) => {
  expect(readFileSync(resolve(folder, path), 'utf8')).toBe(text);
});

test('there is no dashboard that is not written', () => {
  const written = Object.keys(files).filter((path) => path.startsWith('dashboards/'));
  expect(readdirSync(resolve(folder, 'dashboards')).map((name) => `dashboards/${name}`)).toEqual(written.toSorted());
});

test('an alert names what to do, and no two have one name', () => {
  expect(alerts.filter(({ fix, summary }) => !fix.endsWith('.') || !summary.endsWith('.'))).toEqual([]);
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
});
