// Manual wake and freeze of a sandbox; control-plane sheet 1.8, older public revision.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { WorkspaceQuery } from '../schema/query.ts';
import { Metadata, Status } from '../schema/shared.ts';

const SandboxControl = z
  .object({ message: z.string(), metadata: Metadata, status: Status })
  .meta({ id: 'SandboxControl' });

const control = {
  method: 'PUT',
  tag: 'Sandboxes',
  access: member('sandboxes:control'),
  query: WorkspaceQuery,
  answer: SandboxControl,
} as const;

export const startSandbox = defineOperation({
  ...control,
  ...at('/sandboxes/{sandboxName}/start'),
  id: 'startSandbox',
  summary: 'Wake a sandbox now',
  audit: 'sandbox.start',
});

export const stopSandbox = defineOperation({
  ...control,
  ...at('/sandboxes/{sandboxName}/stop'),
  id: 'stopSandbox',
  summary: 'Put a sandbox to sleep now',
  audit: 'sandbox.stop',
});
