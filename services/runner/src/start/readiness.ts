import type { ReadyReport } from '@berth/telemetry';
import type { DiskWatch } from '../disk/disk-watch.ts';
import type { Driver } from '../driver/driver.ts';
import type { Converger } from '../instances/converger.ts';
import type { NodeLink } from '../node/node-link.ts';

export interface ReadinessSources {
  readonly driver: Driver;
  readonly converger: Converger;
  readonly link: NodeLink;
  readonly disk: DiskWatch;
}

/**
 * The runner is not ready while the engine or the api is unreachable, the network is not healthy, or the disk needs an
 * operator. Running instances continue all the same.
 */
export async function readiness({ driver, converger, link, disk }: ReadinessSources): Promise<ReadyReport> {
  const hasEngine = await driver.isolationClasses().then(
    () => true,
    () => false,
  );
  const checks = {
    engine: { ok: hasEngine },
    network: { ok: converger.isNetworkHealthy },
    api: { ok: link.isConnected },
    disk: { ok: !disk.isAlarmed },
  };
  return { ready: Object.values(checks).every(({ ok }) => ok), checks };
}
