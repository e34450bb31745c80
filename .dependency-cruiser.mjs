// The import rules of ARCHITECTURE.md: a package imports only packages above it, services import packages, only the
// server imports services. Tests are exempt, but no other code may import them, and they reach into a service only from
// its own folder. `engines/` starts what dev, tests and benches need; product code may not import it.

// In order; each package may import the ones before it.
const packages = [
  'contract',
  'concurrency',
  'release',
  'telemetry',
  'wire',
  'database',
  'durable',
  'usage',
  'identity',
  'instances',
  'outward',
  'triggers',
  'jobs',
];

const TEST_FOLDERS = '^(packages|services)/[^/]+/test/';
const TESTS = `\\.test\\.tsx?$|^tests/|^bench/|${TEST_FOLDERS}`;

const downwardOnly = packages.map((name, index) => ({
  name: `package-${name}-imports-only-packages-above-it`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TESTS },
  to: { path: `^packages/(?!(${[...packages.slice(0, index), name].join('|')})/)` },
}));

// Folders of each service, in order; each may import the ones before it, so no two import each other. Files directly in
// `src` wire a service together and are exempt.
const folders = {
  api:
    'http install logs request-metrics metering metrics statements platform resources audit images people nodes rules domains ' +
    'drives integrations models network policies volumes workloads budgets calls applications jobs previews sandboxes',
  gateway:
    'demand errors http workloads audit proxy counts routing access previews tasks triggers invocations limits models serve',
  guest: 'http proc supervisor files ports search watch codegen processes uploads control mcp terminal system',
  orchestrator:
    'removal run budgets statements metering callbacks executions dispatch triggers deployments pools sandboxes reconcile',
  runner:
    'machine state driver failures node meter ingress logs network sleep images sandbox disk orphans instances start',
  server: 'sections operate backup restore commands roles',
};

// The guest's server loads the terminal at the first upgrade, which keeps it out of the start.
const EXCEPTIONS = '^services/guest/src/http/server\\.ts$';

const folderOrder = Object.entries(folders)
  .map(([service, names]) => [service, names.split(' ')])
  .flatMap(([service, names]) => [
    ...names.map((name, index) => ({
      name: `${service}-${name}-imports-only-folders-above-it`,
      severity: 'error',
      from: { path: `^services/${service}/src/${name}/`, pathNot: `${TESTS}|${EXCEPTIONS}` },
      to: { path: `^services/${service}/src/(?!(${[...names.slice(0, index), name].join('|')})/)[^/]+/` },
    })),
    {
      name: `${service}-has-a-folder-without-a-place-in-the-order`,
      severity: 'error',
      from: { path: `^services/${service}/src/(?!(${names.join('|')})/)[^/]+/`, pathNot: TESTS },
      to: {},
    },
  ]);

const ENTRY = '/src/(index|config)\\.ts$';

// The exception of the rule below: the node listener and its certificates are tested with the runner's own client and
// with the gateway's own request for a certificate.
const NODE_TESTS = '^(services/api)/test/nodes/';
const NODE_CLIENTS = '^services/(runner/src/node|gateway/src/proxy)/';

// From any folder: another service, a package, `tests/`, `engines/`, `scripts/` and `bench/`.
const sourcesOfServices = [
  { from: { path: '^(services/[^/]+|[^/]+)/', pathNot: NODE_TESTS }, exceptions: [] },
  { from: { path: NODE_TESTS }, exceptions: [NODE_CLIENTS] },
].map(({ from, exceptions }) => ({
  name: 'only-a-service-imports-its-own-sources',
  comment: 'Import @berth/<name>, or put a helper into services/<name>/test and import it from there.',
  severity: 'error',
  from,
  to: { path: '^services/[^/]+/src/', pathNot: ['^$1/', ENTRY, ...exceptions] },
}));

export default {
  forbidden: [
    ...downwardOnly,
    ...folderOrder,
    ...sourcesOfServices,
    {
      name: 'contract-runs-in-a-browser',
      severity: 'error',
      from: { path: '^packages/contract/src/', pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'packages-import-no-service',
      severity: 'error',
      from: { path: '^packages/', pathNot: TESTS },
      to: { path: '^(services|clients)/' },
    },
    {
      // A stolen machine must not hold a database password.
      name: 'runner-and-guest-import-only-what-needs-no-database',
      severity: 'error',
      from: { path: '^services/(runner|guest)/', pathNot: TESTS },
      to: { path: '^packages/(?!(contract|concurrency|release|wire|telemetry)/)' },
    },
    {
      name: 'services-import-no-other-service',
      severity: 'error',
      from: { path: '^services/(?!server/)([^/]+)/', pathNot: TESTS },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'clients-import-only-contract-and-clients',
      severity: 'error',
      from: { path: '^clients/', pathNot: TESTS },
      to: { path: '^(services/|packages/(?!contract/))' },
    },
    {
      name: 'a-package-is-entered-by-its-front-door',
      comment:
        'Import @berth/<name>, its settings alone as @berth/<name>/config, or one audience of the contract as @berth/contract/<guest|node>, not a file inside another package.',
      severity: 'error',
      from: { path: '^(packages|services|clients)/([^/]+)/' },
      to: {
        path: '^(packages|clients)/',
        pathNot: ['^$1/$2/', '^packages/contract/src/(api|guest|node)/index\\.ts$', ENTRY, TEST_FOLDERS],
      },
    },
    {
      name: 'nothing-imports-engines-scripts-tests-or-bench',
      severity: 'error',
      from: { path: '^(packages|services|clients)/', pathNot: TESTS },
      to: { path: `${TESTS}|^(engines|scripts)/` },
    },
    {
      name: 'tests-and-engines-import-no-scripts',
      severity: 'error',
      from: { path: `${TESTS}|^engines/`, pathNot: '^scripts/' },
      to: { path: '^scripts/' },
    },
    {
      name: 'engines-and-scripts-import-no-tests',
      severity: 'error',
      from: { path: '^(engines|scripts)/' },
      to: { path: TESTS },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'nothing-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
