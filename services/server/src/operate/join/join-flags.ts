import { isIPv4 } from 'node:net';
import { z } from 'zod';
import type { RunnerChoices } from '../install/install-record.ts';
import { Fault } from '../machine/fault.ts';

const Gateways = z.string().transform((text, context): RunnerChoices['gateways'] => {
  const words = text.split(',').filter((word) => word !== '');
  return words.map((word) => {
    const [address = '', port = ''] = word.split(':');
    if (!isIPv4(address) || !/^\d{1,5}$/.test(port))
      context.addIssue({ code: 'custom', message: 'a list such as 192.0.2.1:443,192.0.2.1:80' });
    return { address, port: Number(port) };
  });
});

export const JoinFlags = z.object({
  tokenFile: z.string().optional(),
  nodeUrl: z.url({ protocol: /^https$/ }).optional(),
  gateways: Gateways.optional(),
  sandboxImage: z
    .string()
    .regex(/^[\w./:@-]+$/, 'the name of an image')
    .optional(),
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/, 'lower-case letters, digits, dots and hyphens')
    .optional(),
  address: z.string().refine(isIPv4, 'an IPv4 address of this machine').optional(),
  images: z.string().optional(),
  yes: z.boolean().default(false),
});
export type JoinFlags = z.infer<typeof JoinFlags>;
export const booleanJoinFlags = ['yes'];

export interface FoundMachine {
  readonly address: string | undefined;
  readonly hostName: string;
}

/** Flags win over the choices of an earlier run, and those over what is found out. */
export function decideRunnerChoices(
  flags: JoinFlags,
  earlier: RunnerChoices | undefined,
  found: FoundMachine,
): RunnerChoices {
  const address = flags.address ?? earlier?.address ?? found.address;
  if (address === undefined)
    throw new Fault('This machine has no IPv4 address that others reach.', 'berth-server join --address ADDRESS');
  const nodeUrl = flags.nodeUrl ?? earlier?.nodeUrl;
  if (nodeUrl === undefined)
    throw new Fault(
      'This machine has not joined a deployment yet.',
      'on the first machine: berth-server create-join-token --command; then run the line that it prints on this machine',
    );
  return {
    name: flags.name ?? earlier?.name ?? found.hostName.toLowerCase(),
    address,
    nodeUrl,
    gateways: flags.gateways ?? earlier?.gateways ?? [],
  };
}
