import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';

/** a guest never runs code from an address that a caller gives, only the code that comes with the runner. */
export function upgrade(_call: Call): never {
  throw new Fault(
    403,
    'This deployment does not replace the API of a running sandbox, and never loads it from a baseUrl of the caller. ' +
      'Create the sandbox again to get the newest.',
  );
}
