import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/verify/longest-first.ts';
import { testsWithoutEngines } from './scripts/verify/tests-without-engines.ts';
import { heavyFolders, heavyLanes } from './scripts/verify/time-budget.ts';

const heavy = heavyFolders.map((folder) => `${folder}/**`);
// Run by `pnpm conformance`, which also compares them with the list of statements; the parts of that command are unit
// tests.
const conformance = 'tests/conformance/*.test.ts';
// Run by `pnpm e2e guest`, inside containers of both isolation classes.
// On the machine itself: `vitest run --project guest`.
const guest = 'services/guest/test/*.test.ts';
const run = './engines/vitest-run.ts';
const engines = [run, './engines/vitest-setup.ts'];

export default defineConfig({
  test: {
    // Files share a worker and its modules: loading the modules again for each file took half of the time.
    isolate: false,
    // Node runs the sources directly, as it does for an operator. Vite's own runner took an eighth more CPU time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    maxWorkers: heavyLanes,
    sequence: { sequencer: LongestFirst },
    // These limits only end a test that hangs. Guarantees about time are asserted with a test clock, an order or a
    // ratio.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{packages,services,clients}/*/{src,test}/**/*.test.ts',
            '{engines,scripts,tests,bench}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...heavy, conformance, guest],
          globalSetup: engines,
        },
      },
      // Part of `unit`, for `pnpm verify --quick`.
      { test: { name: 'quick', include: testsWithoutEngines(), globalSetup: run } },
      { test: { name: 'guest', include: [guest], globalSetup: run, testTimeout: 60_000 } },
      { test: { name: 'conformance', include: [conformance], globalSetup: engines } },
      {
        test: {
          name: 'heavy',
          include: heavy.map((folder) => `${folder}/*.test.ts`),
          globalSetup: engines,
          // Concurrent tests mostly wait for sandboxes to fall asleep.
          maxConcurrency: 8,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
