import type { Fleet } from '../../../engines/fleet/fleet.ts';
import type { ServerProcess } from '../../../engines/server-process.ts';
import { echoImage } from '../../harness/echo-image.ts';
import type { Call } from './caller.ts';

/** A deployment with one machine and a gateway for each purpose. */
export interface Site {
  readonly fleet: Fleet;
  readonly dockerUrl: string;
  readonly url: string;
  /** Calls the plain gateway with the owner's key. */
  readonly call: Call;
  readonly secure: { readonly url: string; readonly ca: Buffer };
  /** Gateway with short timeouts. */
  readonly hasty: { readonly url: string };
  /** Two gateway processes on one port. */
  readonly shared: {
    readonly url: string;
    readonly gateways: readonly { readonly process: ServerProcess; readonly logFile: string }[];
  };
  /** Gateway whose heap can be read through its inspector. */
  readonly guarded: { readonly url: string; readonly process: ServerProcess; readonly inspectorPort: number };
}

export const echo = { image: echoImage, generation: 'mk2', memory: 256, minScale: 1 } as const;
