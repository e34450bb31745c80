// gVisor limits the layer of a container by itself, exactly, when the engine starts it with `--overlay2=root:self,size=…`. An
// argument of the engine's: the runner cannot set it, but says whether it is there.
import type { Logger } from '@berth/telemetry';
import type { Driver } from '../driver/driver.ts';

const flag = /^--?overlay2[= ](?:root|all):[^,]+,size=(\d+)([kmgt]?)b?$/i;
const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** In MB; undefined when nothing limits it. The last one counts, as it does for gVisor. */
export function layerLimitMb(runtimeArguments: readonly string[]): number | undefined {
  const sizes = runtimeArguments.flatMap((argument) => {
    const [, amount, unit = ''] = flag.exec(argument) ?? [];
    return amount === undefined ? [] : [(Number(amount) * (units[unit.toLowerCase()] ?? 1)) / 2 ** 20];
  });
  return sizes.at(-1);
}

/** In MB, as above. */
export async function tellLayerLimit(driver: Driver, diskMb: number, logger: Logger): Promise<number | undefined> {
  const fields = { event: 'runner.disk_limit', diskMb };
  if (!(await driver.isolationClasses()).includes('gvisor')) {
    logger.info(fields, 'what instances write is counted, and held against runner.diskMb');
    return undefined;
  }
  const gvisorMb = layerLimitMb(await driver.runtimeArguments('gvisor'));
  if (gvisorMb === undefined) logger.warn(fields, noLimit);
  else logger.info({ ...fields, gvisorMb }, 'gVisor limits what its containers write, others are counted');
  return gvisorMb;
}

const noLimit =
  'gVisor does not limit what containers write. Add --overlay2=root:self,size=10g to runtimeArgs of runsc in the engine\u2019s ' +
  'daemon.json; until then it is counted like that of other containers.';
