// Time budget of the small size, in seconds on a quiet machine with two cores and installed engines. A new feature gets
// 90 s; larger tests belong to `pnpm verify --full`. A test keeps the sum below the limit.

export const limitSeconds = 19 * 60;

/** Folders of the heavy files, as glob patterns. */
export const heavyFolders: readonly string[] = ['tests/e2e', 'tests/chaos', 'services/*/test/e2e'];

/** Number of heavy files that run in parallel. Three keep two cores busy; a fourth lane only slows down the others. */
export const heavyLanes = 3;

/** Seconds of the stages before the heavy files. */
export const stageShares: Readonly<Record<string, number>> = {
  types: 10,
  clients: 3,
  lint: 5,
  boundaries: 5,
  'dead code': 3,
  tests: 260,
  'SQL on PostgreSQL 15': 40,
  'conformance under another brand': 40,
};

/**
 * End-to-end tests of the full size that need the machine to themselves: one measures latency, others emulate a whole
 * machine.
 */
export const alone: readonly string[] = ['sandbox-neighbours', 'hosts'];

/** Seconds of a heavy file in its lane, beside two others. 0 means that the file runs with --full only. */
export const fileShares: Readonly<Record<string, number>> = {
  'services/gateway/test/e2e/proxy.test.ts': 10,
  'services/guest/test/e2e/files.test.ts': 10,
  'services/guest/test/e2e/fuzz.test.ts': 10,
  'services/guest/test/e2e/helper.test.ts': 5,
  'services/guest/test/e2e/images.test.ts': 10,
  'services/guest/test/e2e/inside.test.ts': 5,
  'services/guest/test/e2e/long-streams.test.ts': 30,
  'services/guest/test/e2e/mcp.test.ts': 10,
  'services/guest/test/e2e/on-machine.test.ts': 5,
  'services/guest/test/e2e/outlives.test.ts': 35,
  'services/guest/test/e2e/ports.test.ts': 5,
  'services/guest/test/e2e/search.test.ts': 10,
  'services/guest/test/e2e/streams.test.ts': 10,
  'services/guest/test/e2e/suites.test.ts': 120,
  'services/guest/test/e2e/survives.test.ts': 5,
  'services/guest/test/e2e/terminal-page.test.ts': 5,
  'services/guest/test/e2e/terminal.test.ts': 5,
  'services/guest/test/e2e/watch.test.ts': 10,
  'services/guest/test/e2e/workload-user.test.ts': 5,
  'services/runner/test/e2e/adopt.test.ts': 85,
  'services/runner/test/e2e/converge.test.ts': 60,
  'services/runner/test/e2e/disk.test.ts': 45,
  'services/runner/test/e2e/driver.test.ts': 15,
  'services/runner/test/e2e/freezer.test.ts': 5,
  'services/runner/test/e2e/images.test.ts': 10,
  'services/runner/test/e2e/ingress.test.ts': 25,
  'services/runner/test/e2e/network.test.ts': 100,
  'services/runner/test/e2e/seccomp.test.ts': 5,
  'services/runner/test/e2e/sleep.test.ts': 75,
  'services/runner/test/e2e/tasks.test.ts': 50,
  'tests/chaos/async.test.ts': 55,
  'tests/chaos/compute.test.ts': 35,
  'tests/chaos/jobs.test.ts': 50,
  'tests/chaos/logs.test.ts': 0,
  'tests/chaos/roll.test.ts': 0,
  'tests/chaos/sandbox-sleep.test.ts': 90,
  'tests/chaos/serve.test.ts': 65,
  'tests/chaos/survive.test.ts': 10,
  'tests/chaos/usage-runner.test.ts': 0,
  'tests/chaos/usage.test.ts': 60,
  'tests/chaos/wipe.test.ts': 0,
  'tests/e2e/backup.test.ts': 40,
  'tests/e2e/clients/clients.test.ts': 130,
  'tests/e2e/clients/operations.test.ts': 15,
  'tests/e2e/clients/packages.test.ts': 0,
  'tests/e2e/deploy.test.ts': 85,
  'tests/e2e/engines/box.test.ts': 5,
  'tests/e2e/engines/container-registry.test.ts': 5,
  'tests/e2e/engines/docker.test.ts': 40,
  'tests/e2e/engines/leftovers.test.ts': 30,
  'tests/e2e/fuzz/fuzz.test.ts': 10,
  'tests/e2e/hosts/firewalls.test.ts': 0,
  'tests/e2e/hosts/preflight.test.ts': 0,
  'tests/e2e/hosts/reboot.test.ts': 0,
  'tests/e2e/hosts/workloads.test.ts': 0,
  'tests/e2e/inference.test.ts': 150,
  'tests/e2e/install/install.test.ts': 90,
  'tests/e2e/install/join.test.ts': 0,
  'tests/e2e/install/upgrade.test.ts': 0,
  'tests/e2e/jobs.test.ts': 30,
  'tests/e2e/models.test.ts': 5,
  'tests/e2e/monitoring/monitoring.test.ts': 0,
  'tests/e2e/quick-start.test.ts': 55,
  'tests/e2e/release.test.ts': 0,
  'tests/e2e/runners.test.ts': 70,
  'tests/e2e/sandbox-attacks.test.ts': 125,
  'tests/e2e/sandbox-neighbours.test.ts': 0,
  'tests/e2e/sandbox/wire-checks.test.ts': 60,
  'tests/e2e/scale.test.ts': 75,
  'tests/e2e/tenants.test.ts': 45,
  'tests/e2e/usage.test.ts': 65,
};

/**
 * Files without containers that mostly wait, or are much longer than the others. They start first, so that the others
 * run in parallel.
 */
const waitingShares: Readonly<Record<string, number>> = {
  'services/gateway/test/sandbox-sleep.test.ts': 70,
  'services/orchestrator/test/lifetimes.test.ts': 70,
  'services/gateway/test/sandbox-states.test.ts': 30,
  'tests/conformance/scope.test.ts': 30,
  'services/runner/src/ingress/tunnel.test.ts': 25,
  'services/server/src/run-server.test.ts': 25,
  'services/api/test/concurrency.test.ts': 25,
  'services/api/test/authorization-matrix.test.ts': 25,
  'services/api/test/paging.test.ts': 20,
  'services/api/test/nodes/lost-runners.test.ts': 20,
  'services/orchestrator/test/concurrency.test.ts': 20,
  'packages/durable/test/relay.test.ts': 20,
};

/** Seconds of any other file without containers. */
const lightShare = 15;

export const shareOf = (file: string): number => fileShares[file] ?? waitingShares[file] ?? lightShare;
