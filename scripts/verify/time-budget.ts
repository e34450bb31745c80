// Time budget of the small size, in seconds on a quiet machine with two cores and installed engines. A new feature gets
// 90 s; larger tests belong to `pnpm verify --full`. A test keeps the sum below the limit.

export const limitSeconds = 18 * 60;

/** Number of heavy files that run in parallel. Three keep two cores busy; a fourth lane only slows down the others. */
export const heavyLanes = 3;

/** Seconds of the stages before the heavy files. */
export const stageShares: Readonly<Record<string, number>> = {
  types: 10,
  lint: 5,
  boundaries: 5,
  'dead code': 5,
  tests: 260,
  'SQL on PostgreSQL 15': 50,
  'conformance under another brand': 45,
};

/**
 * End-to-end tests of the full size that need the machine to themselves: one measures latency, others emulate a whole
 * machine.
 */
export const alone: readonly string[] = ['sandbox-neighbours', 'hosts'];

/** Seconds of a heavy file in its lane, beside two others. 0 means that the file runs with --full only. */
export const fileShares: Readonly<Record<string, number>> = {
  'tests/chaos/compute.test.ts': 35,
  'tests/chaos/logs.test.ts': 0,
  'tests/chaos/roll.test.ts': 0,
  'tests/chaos/sandbox-sleep.test.ts': 85,
  'tests/chaos/serve.test.ts': 80,
  'tests/chaos/survive.test.ts': 15,
  'tests/chaos/wipe.test.ts': 0,
  'tests/e2e/deploy.test.ts': 90,
  'tests/e2e/engines/container-registry.test.ts': 10,
  'tests/e2e/engines/docker.test.ts': 65,
  'tests/e2e/engines/leftovers.test.ts': 60,
  'tests/e2e/fuzz/fuzz.test.ts': 20,
  'tests/e2e/gateway-proxy.test.ts': 10,
  'tests/e2e/guest/files.test.ts': 15,
  'tests/e2e/guest/fuzz.test.ts': 10,
  'tests/e2e/guest/helper.test.ts': 10,
  'tests/e2e/guest/images.test.ts': 15,
  'tests/e2e/guest/inside.test.ts': 10,
  'tests/e2e/guest/long-streams.test.ts': 35,
  'tests/e2e/guest/mcp.test.ts': 10,
  'tests/e2e/guest/on-machine.test.ts': 5,
  'tests/e2e/guest/outlives.test.ts': 50,
  'tests/e2e/guest/ports.test.ts': 10,
  'tests/e2e/guest/search.test.ts': 15,
  'tests/e2e/guest/streams.test.ts': 10,
  'tests/e2e/guest/suites.test.ts': 140,
  'tests/e2e/guest/survives.test.ts': 5,
  'tests/e2e/guest/terminal-page.test.ts': 5,
  'tests/e2e/guest/terminal.test.ts': 5,
  'tests/e2e/guest/watch.test.ts': 15,
  'tests/e2e/guest/workload-user.test.ts': 5,
  'tests/e2e/hosts/firewalls.test.ts': 0,
  'tests/e2e/hosts/preflight.test.ts': 0,
  'tests/e2e/hosts/reboot.test.ts': 0,
  'tests/e2e/hosts/workloads.test.ts': 0,
  'tests/e2e/inference.test.ts': 130,
  'tests/e2e/quick-start.test.ts': 90,
  'tests/e2e/runner-adopt.test.ts': 105,
  'tests/e2e/runner-converge.test.ts': 70,
  'tests/e2e/runner-disk.test.ts': 70,
  'tests/e2e/runner-driver.test.ts': 15,
  'tests/e2e/runner-freezer.test.ts': 5,
  'tests/e2e/runner-images.test.ts': 10,
  'tests/e2e/runner-ingress.test.ts': 35,
  'tests/e2e/runner-network.test.ts': 90,
  'tests/e2e/runner-seccomp.test.ts': 15,
  'tests/e2e/runner-sleep.test.ts': 90,
  'tests/e2e/runners.test.ts': 55,
  'tests/e2e/sandbox-attacks.test.ts': 110,
  'tests/e2e/sandbox-neighbours.test.ts': 0,
  'tests/e2e/sandbox/wire-checks.test.ts': 75,
  'tests/e2e/scale.test.ts': 85,
  'tests/e2e/tenants.test.ts': 40,
};

/**
 * Files without containers that mostly wait, or are much longer than the others. They start first, so that the others
 * run in parallel.
 */
const waitingShares: Readonly<Record<string, number>> = {
  'tests/gateway/sandbox-sleep.test.ts': 70,
  'tests/orchestrator/lifetimes.test.ts': 70,
  'tests/gateway/sandbox-states.test.ts': 30,
  'tests/conformance/scope.test.ts': 30,
  'services/runner/src/ingress/tunnel.test.ts': 25,
  'services/server/src/run-server.test.ts': 25,
  'tests/api/concurrency.test.ts': 25,
  'tests/api/authorization-matrix.test.ts': 25,
  'tests/api/paging.test.ts': 20,
  'tests/nodes/lost-runners.test.ts': 20,
  'tests/orchestrator/concurrency.test.ts': 20,
  'tests/durable/relay.test.ts': 20,
};

/** Seconds of any other file without containers. */
const lightShare = 15;

export const shareOf = (file: string): number => fileShares[file] ?? waitingShares[file] ?? lightShare;
