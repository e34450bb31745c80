// Prepares the machine before the runner takes instances: checks it, creates its network, and tests its firewalls.

import { backoffMs, pause } from '@berth/concurrency';
import { isolationClasses } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import { answered, openDocker } from '../driver/docker-client.ts';
import type { Driver } from '../driver/driver.ts';
import { openShell } from '../machine/command.ts';
import { readFacts } from '../machine/preflight/facts.ts';
import { assertSuitable, warningsOf } from '../machine/preflight/preflight.ts';
import { createNetwork } from '../network/create-network.ts';
import type { Network } from '../network/network.ts';
import { ownAddressesOf, resolversFor } from '../network/network-settings.ts';
import type { AdoptionFiles } from '../sandbox/adoption-files.ts';

const engineStartMs = 60_000;

/**
 * Throws if limits or tenant isolation would not hold on this machine. After a reboot the engine may start a little
 * later than the runner, so the check waits for it first; an engine that stays away is reported as one of the
 * problems.
 */
export async function checkMachine(driver: Driver, config: RunnerConfig, logger: Logger): Promise<void> {
  const { dockerUrl, isolation = isolationClasses, diskMbPerSecond } = config;
  const asking = retryUntilReady(logger, 'container engine does not answer yet; retrying', () =>
    driver.isolationClasses(),
  );
  await asking.catch(() => {});
  const facts = await readFacts(() => answered(openDocker(dockerUrl).info()), openShell());
  const wanted = { isolation, diskMbPerSecond, connections: config.outgoing.connections };
  assertSuitable(facts, wanted);
  for (const { reason, fix } of warningsOf(facts, wanted))
    logger.warn({ event: 'runner.preflight', fix }, `${reason} Run: ${fix}`);
}

export async function openNetwork(
  config: RunnerConfig,
  runnerId: string,
  adopted: AdoptionFiles,
  logger: Logger,
): Promise<Network> {
  const { dockerUrl, bridge, subnet, gateways, deniedRanges, outgoing, slots } = config;
  const membershipOf = (instance: string) => adopted.find(instance);
  const resolvers = resolversFor(config);
  const ownAddresses = () => ownAddressesOf(config);
  const reach = { resolvers, gateways, deniedRanges, ownAddresses, outgoing };
  const options = { dockerUrl, runnerId, bridge, subnet, slots, membershipOf, logger, ...reach };
  return retryUntilReady(logger, 'network setup failed; retrying', () => createNetwork(options));
}

/**
 * Throws if the runner cannot find what containers write, because it could not limit their disk use then. The check
 * uses a network slot, which is a container like those of instances.
 */
export async function assertLayersAreFound(
  driver: Pick<Driver, 'inspect'>,
  network: Pick<Network, 'takeSlot' | 'releaseSlot'>,
  config: Pick<RunnerConfig, 'isolation'>,
): Promise<void> {
  const { isolation = isolationClasses } = config;
  if (!isolation.includes('runc')) return;
  const slot = await network.takeSlot();
  const state = await driver.inspect(slot.containerId).finally(() => network.releaseSlot(slot));
  if (state?.layer === undefined)
    throw new Error(
      'The runner does not find what containers write, so the disk of runc containers cannot be limited. Start it where it sees the mounts of the machine, not in a container; or offer gVisor alone: runner.isolation: [gvisor]',
    );
}

/**
 * Logs firewall problems without stopping the start: instances run all the same, and a fix by the operator takes
 * effect at once.
 */
export async function logFirewallProblems(network: Network, logger: Logger): Promise<void> {
  const event = 'runner.firewall';
  try {
    const problems = await network.checkFirewall();
    for (const { message, fix } of problems) logger.error({ event, fix }, `${message} Run: ${fix}`);
    if (problems.length === 0) logger.info({ event }, 'the firewall of this machine lets instances through');
  } catch (err) {
    logger.warn({ event, err }, 'firewall check failed; starting without it');
  }
}

/** Retries with backoff for as long as an engine may take to start, then throws the last error. */
async function retryUntilReady<T>(logger: Logger, saying: string, attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + engineStartMs;
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (err) {
      if (performance.now() > giveUpAt) throw err;
      logger.warn({ err }, saying);
      await pause(backoffMs(failures, 250, 5_000, Math.random));
    }
  }
}
