import { readFileSync } from 'node:fs';
import { type Hello, type IsolationClass, nodeProtocol } from '@berth/contract/node';
import { assetUrl } from '@berth/release';
import { z } from 'zod';
import type { RunnerConfig } from '../config.ts';
import type { Driver } from '../driver/driver.ts';
import { machine } from '../machine/machine.ts';
import { maxTasks } from './max-tasks.ts';

const Package = z.object({ version: z.string() });

/** What the runner tells the api about itself when it connects. `ingress` is the address for gateways. */
export async function hello(driver: Driver, config: RunnerConfig, ingress: string): Promise<Hello> {
  const offered = await driver.isolationClasses();
  const isolation = offered.filter((each: IsolationClass) => config.isolation?.includes(each) ?? true);
  if (isolation.length === 0) {
    throw new Error(
      `The engine offers ${offered.join(' and ') || 'no isolation class'}, which runner.isolation leaves out.`,
    );
  }
  const cpus = machine.cpus();
  return {
    protocol: nodeProtocol.newest,
    oldestProtocol: nodeProtocol.oldest,
    version: ownVersion(),
    isolation,
    memoryMb: config.memoryMb ?? machine.offeredMemoryMb(),
    cpus,
    ingress,
    ingressCredential: 'certificate',
    maxTasks: config.maxTasks ?? maxTasks(isolation, cpus),
    warm: config.warm,
    warmLately: config.warmLately,
  };
}

const ownVersion = (): string =>
  Package.parse(JSON.parse(readFileSync(assetUrl('services/runner/package.json'), 'utf8'))).version;
