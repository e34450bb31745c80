import { isIPv4 } from 'node:net';
import { z } from 'zod';
import type { Choices } from '../install/install-record.ts';
import { Fault } from '../machine/fault.ts';

const hostName = /^(?=.{1,200}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const UpFlags = z.object({
  domain: z.string().toLowerCase().regex(hostName, 'a domain such as example.com').optional(),
  email: z
    .string()
    .regex(/^[^\s@]+@[^\s@]+$/, 'an address such as ops@example.com')
    .optional(),
  address: z.string().refine(isIPv4, 'an IPv4 address of this machine').optional(),
  images: z.string().optional(),
  controlImage: z.string().optional(),
  acmeCa: z.url({ protocol: /^https$/ }).optional(),
  acmeRoot: z.string().optional(),
  wildcardCert: z.string().optional(),
  wildcardKey: z.string().optional(),
  archive: z.string().optional(),
  runners: z.boolean().default(false),
  withoutLogs: z.boolean().default(false),
  yes: z.boolean().default(false),
});
export type UpFlags = z.infer<typeof UpFlags>;
export const booleanUpFlags = ['runners', 'withoutLogs', 'yes'];

/** Flags win over the choices of an earlier run, and those over what is found out. */
export function decideChoices(flags: UpFlags, earlier: Choices | undefined, found: string | undefined): Choices {
  const domain = flags.domain ?? earlier?.domain;
  const address = flags.address ?? earlier?.address ?? found;
  if (address === undefined)
    throw new Fault('This machine has no IPv4 address that others reach.', 'berth-server up --address ADDRESS');
  if ((flags.wildcardCert === undefined) !== (flags.wildcardKey === undefined))
    throw new Fault(
      'A wildcard certificate needs its key.',
      'berth-server up --wildcard-cert FILE --wildcard-key FILE',
    );
  const needsDomain = flags.acmeCa ?? flags.acmeRoot ?? flags.wildcardCert;
  if (domain === undefined && needsDomain !== undefined)
    throw new Fault('Certificates of an authority need a domain.', 'berth-server up --domain example.com');
  const acmeCa = flags.acmeCa ?? earlier?.acmeCa;
  return {
    ...(domain === undefined ? {} : { domain }),
    email: flags.email ?? earlier?.email ?? `operator@${domain ?? 'berth.internal'}`,
    address,
    withLogs: !flags.withoutLogs && (earlier?.withLogs ?? true),
    ...(acmeCa === undefined ? {} : { acmeCa }),
    hasAcmeRoot: flags.acmeRoot !== undefined || (earlier?.hasAcmeRoot ?? false),
    hasWildcard: flags.wildcardCert !== undefined || (earlier?.hasWildcard ?? false),
    takesRunners: flags.runners || (earlier?.takesRunners ?? false),
  };
}
