// The delivered rules, as Prometheus itself reads and plays them.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { prometheus, promtool } from '../../engines/prometheus.ts';

const cwd = resolve(import.meta.dirname, '../../deploy/monitoring');
beforeAll(() => prometheus.install());

test.each([
  ['accepts the rules', ['check', 'rules', 'rules.yaml']],
  ['accepts the example configuration', ['check', 'config', 'prometheus.yaml']],
  ['sees each alert fire and rest as its proof says', ['test', 'rules', 'rules.test.yaml']],
])('promtool %s', async (_, words) => {
  expect(execFileSync(await promtool(), words, { cwd, encoding: 'utf8', stdio: 'pipe' })).toContain('SUCCESS');
});
