// gVisor itself limits a container's layer exactly when it is started with `--overlay2=root:self,size=…`. That argument
// is configured in the engine: the runner cannot set it, but logs whether it is present.
import { bytesPerMb } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import type { Driver } from '../driver/driver.ts';

const flag = /^--?overlay2[= ](?:root|all):[^,]+,size=(\d+)([kmgt]?)b?$/i;
const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** In MB; undefined without a limit. The last argument wins, as in gVisor. */
export function layerLimitMb(runtimeArguments: readonly string[]): number | undefined {
  const sizes = runtimeArguments.flatMap((argument) => {
    const [, amount, unit = ''] = flag.exec(argument) ?? [];
    return amount === undefined ? [] : [(Number(amount) * (units[unit.toLowerCase()] ?? 1)) / bytesPerMb];
  });
  return sizes.at(-1);
}

/** Logs the limit and returns it, like `layerLimitMb`. */
export async function logLayerLimit(driver: Driver, diskMb: number, logger: Logger): Promise<number | undefined> {
  const fields = { event: 'runner.disk_limit', diskMb };
  if (!(await driver.isolationClasses()).includes('gvisor')) {
    logger.info(fields, 'writes of instances are counted; runner.diskMb limits them');
    return undefined;
  }
  const gvisorMb = layerLimitMb(await driver.runtimeArguments('gvisor'));
  if (gvisorMb === undefined) logger.warn(fields, noLimit);
  else logger.info({ ...fields, gvisorMb }, 'gVisor limits the writes of its containers; writes of others are counted');
  return gvisorMb;
}

const noLimit =
  'gVisor does not limit what containers write. Add --overlay2=root:self,size=10g to runtimeArgs of runsc in the engine\u2019s ' +
  'daemon.json; until then it is counted like that of other containers.';
