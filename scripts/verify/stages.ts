export type Stage = {
  name: string;
  /** A pnpm script and its arguments. */
  script: readonly string[];
  /**
   * How the stage's tests are counted: `vitest` asks for its JSON report, `summary` reads the last line of the form
   * `N passed, N failed`. A stage without it is a check: it passes or fails as one.
   */
  counts?: 'vitest' | 'summary';
  /** What `pnpm engines install` must have fetched or built before; `.ci/run` does it. */
  needs?: readonly string[];
  env?: Readonly<Record<string, string>>;
};

const containers = [
  'docker',
  'gvisor',
  'network-tools',
  'container-registry',
  'base-image',
  'tiny-image',
  'musl-image',
  'guest',
  'chromium',
];

/** What `pnpm verify` runs, in order. A new stage is one line. */
export const stages: readonly Stage[] = [
  { name: 'types', script: ['typecheck'] },
  { name: 'lint', script: ['lint'] },
  { name: 'boundaries', script: ['boundaries'] },
  { name: 'dead code', script: ['deadcode', '--no-config-hints'] },
  { name: 'tests', script: ['test'], counts: 'vitest', needs: ['restate', 'guest'] },
  {
    name: 'tests on PostgreSQL 15',
    script: [
      'test',
      'packages/database',
      'packages/identity',
      'services/server',
      'tests/api',
      'tests/durable/relay',
      'tests/gateway/catalogue',
      'tests/gateway/previews',
      'tests/nodes',
      'tests/orchestrator',
      // They wait more than they ask: what they ask is asked by the others too.
      '--exclude',
      'tests/orchestrator/lifetimes.test.ts',
      '--exclude',
      'tests/api/sandbox-races.test.ts',
    ],
    counts: 'vitest',
    env: { BERTH_TEST_POSTGRES: '15' },
  },
  { name: 'conformance', script: ['conformance'], counts: 'summary' },
  {
    name: 'conformance under another brand',
    script: ['conformance', '--brand', 'Acme:ac'],
    counts: 'summary',
  },
  { name: 'end to end', script: ['e2e'], counts: 'vitest', needs: containers },
  { name: 'kills', script: ['chaos'], counts: 'vitest', needs: containers },
];
