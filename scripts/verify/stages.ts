import { alone } from './time-budget.ts';

export type Stage = {
  name: string;
  /** pnpm script and its arguments. */
  script: readonly string[];
  /**
   * How the stage's tests are counted: `vitest` requests its JSON report, `summary` reads the last line of the form `N
   * passed, N failed`. A stage without it is a check that passes or fails as a whole.
   */
  counts?: 'vitest' | 'summary';
  /** Engines that `pnpm engines install` must have fetched or built before; `.ci/run` does it. */
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
  'sandbox-image',
  'guest',
  'chromium',
  'otlp-schema',
  'python',
  'box-root',
  'box-images',
  'pebble',
];

const checks: readonly Stage[] = [
  { name: 'types', script: ['typecheck'] },
  { name: 'clients', script: ['clients', '--check'] },
  { name: 'lint', script: ['lint'] },
  { name: 'boundaries', script: ['boundaries'] },
  { name: 'dead code', script: ['deadcode', '--no-config-hints'] },
];

const tests: Stage = {
  name: 'tests',
  script: ['test'],
  counts: 'vitest',
  needs: ['restate', 'guest', 'prometheus', 'helm'],
};

/** Tests with distinct SQL. The other tests repeat the same statements. */
const sqlTests = [
  'packages/database',
  'packages/durable/test/relay',
  'packages/identity',
  'services/api/test/custom-domains',
  'services/api/test/egress',
  'services/api/test/executions-listing',
  'services/api/test/executions.test.ts',
  'services/api/test/nodes/joining',
  'services/api/test/nodes/lost-runners',
  'services/api/test/nodes/reports',
  'services/api/test/paging',
  'services/api/test/people-workspaces',
  'services/api/test/previews',
  'services/api/test/volume',
  'services/gateway/test/catalogue',
  'services/gateway/test/previews',
  'services/orchestrator/test/pools',
  'services/orchestrator/test/sandboxes',
  'services/server/src/commands',
];

const onPostgres15 = (name: string, folders: readonly string[]): Stage => ({
  name,
  script: ['test', ...folders],
  counts: 'vitest',
  env: { BERTH_TEST_POSTGRES: '15' },
});

const conformance: Stage = { name: 'conformance', script: ['conformance'], counts: 'summary', needs: ['guest'] };
/** Runs under another brand: every result also holds under our own brand, and nothing may depend on the name. */
const rebranded: Stage = {
  name: 'conformance under another brand',
  script: ['conformance', '--brand', 'Acme:ac'],
  counts: 'summary',
  needs: ['guest'],
};

const heavy: Stage = {
  name: 'end to end and kills',
  script: ['heavy'],
  counts: 'vitest',
  needs: containers,
};

/** Stages of `pnpm verify --quick`: what needs no engine, in about a minute. */
export const quickStages: readonly Stage[] = [
  ...checks,
  { name: 'tests without engines', script: ['test:quick'], counts: 'vitest' },
  { name: 'plain words', script: ['plain-words'] },
];

/** Stages of `pnpm verify`, in order: every guarantee once. */
export const smallStages: readonly Stage[] = [
  ...checks,
  tests,
  onPostgres15('SQL on PostgreSQL 15', sqlTests),
  rebranded,
  heavy,
];

/** Stages of `pnpm verify --full`: both isolation classes, both PostgreSQL versions, both brands, all kills. */
export const fullStages: readonly Stage[] = [
  ...checks,
  // First, because they take the longest: the other stages run while their failures are read.
  ...alone.map((name) => ({ ...heavy, name: `${name}, alone`, script: ['e2e', name, '--full'] })),
  tests,
  onPostgres15('tests on PostgreSQL 15', [
    'packages/database',
    'packages/durable/test/relay',
    'packages/identity',
    'services/api/test',
    'services/gateway/test',
    'services/orchestrator/test',
    'services/server',
  ]),
  conformance,
  rebranded,
  {
    ...heavy,
    script: ['heavy', '--full', ...alone.flatMap((name) => ['--exclude', `tests/e2e/${name}{.test.ts,/**}`])],
  },
];
