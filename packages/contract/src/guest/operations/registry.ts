// Inputs and answers of each route, for the API description that the guest serves and the fuzzer reads. Loaded with the
// first call that needs it; serving a request needs only routes.ts.
import type { GuestRouteId } from '../routes.ts';
import { codeOperations } from './code.ts';
import { controlOperations } from './control.ts';
import { drivesOperations } from './drives.ts';
import { filesOperations } from './files.ts';
import { mcpOperations } from './mcp.ts';
import { networkOperations } from './network.ts';
import type { GuestOperation } from './operation.ts';
import { processesOperations } from './processes.ts';
import { searchOperations } from './search.ts';
import { systemOperations } from './system.ts';
import { terminalOperations } from './terminal.ts';
import { uploadsOperations } from './uploads.ts';

export const guestOperations: Readonly<Record<GuestRouteId, GuestOperation>> = {
  ...filesOperations,
  ...uploadsOperations,
  ...searchOperations,
  ...processesOperations,
  ...networkOperations,
  ...drivesOperations,
  ...codeOperations,
  ...terminalOperations,
  ...systemOperations,
  ...mcpOperations,
  ...controlOperations,
};
