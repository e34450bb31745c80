// Operator settings of the orchestrator. No key holds a secret.
import { BlockList, isIP } from 'node:net';
import { AddressRange } from '@berth/identity';
import { z } from 'zod';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True when only this machine can reach the address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || (isIP(host) !== 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));

const Settings = z.object({
  host: z.string().default('127.0.0.1').describe('Address on which the handlers listen for calls of Restate.'),
  port: z.int().min(0).max(65_535).default(9180).describe('Port of the handlers; 0 picks a free port.'),
  advertisedUrl: z
    .url()
    .optional()
    .describe('URL at which Restate reaches this process or its group of replicas; the listening address when absent.'),
  identityKeys: z
    .array(z.string().regex(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{40,48}$/, 'publickeyv1_… as Restate prints it'))
    .default([])
    .describe(
      'Public keys of the Restate that may call the handlers (publickeyv1_…); needed when host is not a loopback address.',
    ),
  databaseConnections: z
    .int()
    .min(2)
    .max(500)
    .default(10)
    .describe('Maximum number of connections of this process to PostgreSQL.'),
  concurrency: z
    .int()
    .min(1)
    .max(1_000)
    .default(8)
    .describe('Handler calls that run at the same time; each holds one connection to PostgreSQL.'),
  callbacks: z
    .object({
      allowedRanges: z
        .array(AddressRange)
        .default([])
        .describe(
          'Addresses and ranges, such as 10.1.0.0/16, to which callbacks may be sent although they are not on the internet. Every tenant may then send requests there.',
        ),
    })
    .prefault({}),
});

/**
 * A caller of the handlers decides what runs and what is removed, and the handlers check nothing but this signature.
 */
export const OrchestratorConfig = Settings.superRefine(({ host, identityKeys }, context) => {
  if (identityKeys.length > 0 || isLoopback(host)) return;
  const message =
    `${host} is reached from other machines, and without a key whoever reaches it may call the handlers. ` +
    'Give Restate a request identity key and set orchestrator.identityKeys to its public half (docs/operations/restate.md), or set orchestrator.host to 127.0.0.1';
  context.addIssue({ code: 'custom', path: ['host'], message });
});
export type OrchestratorConfig = z.infer<typeof OrchestratorConfig>;
