// Parts of a preview and its tokens; control-plane sheet 2.9.
import { z } from 'zod';
import { readOnly } from './read-only.ts';
import { Instant, mapOf, PortNumber } from './text.ts';

/** Port number that asks for the sandbox's own API from outside. Inside the sandbox the API listens on `guestPort`. */
export const publicSandboxApiPort = 443;
/** Belongs to the system: no preview and no path reaches it. */
export const systemPort = 80;

export const PreviewPort = PortNumber.refine(
  (port) => port !== systemPort,
  `any port but ${systemPort}, which is the system’s`,
).describe(`Any port but ${systemPort}; ${publicSandboxApiPort} is the API of the sandbox.`);

/**
 * A host label has at most 63 characters: after the prefix follow a hyphen and the workspace's name, or eight
 * characters of its id.
 */
export const PrefixUrl = z
  .string()
  .max(54)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'lower-case letters, digits and hyphens, not at the ends');

/**
 * Headers about a single connection, or about the target and length of a message: only the sender of the message sets
 * them.
 */
const ownOfAMessage = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

export const PreviewHeaders = mapOf(
  z
    .string()
    .max(4096)
    .regex(/^[\t\x20-\x7e]*$/, 'printable characters on one line'),
  { keys: 50, keyLength: 128 },
).superRefine((headers, context) => {
  for (const name of Object.keys(headers)) {
    const isFree = !ownOfAMessage.has(name.toLowerCase()) && !name.toLowerCase().startsWith('proxy-');
    if (headerName.test(name) && isFree) continue;
    const message = isFree ? `${name} is no name of a header` : `${name} is set by the gateway: leave it out`;
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

/** `null` and the empty string both remove a setting. */
export const clearable = <T extends z.ZodType>(setting: T) => z.union([setting, z.literal('')]).nullable();

/** Not unique: clients name tokens by their creation time, so several tokens may have the same name. */
const tokenName = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\x20-\x7e]+$/, 'printable characters');

export const PreviewTokenInput = z
  .object({
    metadata: z.object({ name: tokenName }),
    spec: z.object({ expiresAt: Instant.optional().describe('24 hours from now when it is left out.') }),
  })
  .meta({ id: 'PreviewTokenInput' });

export const PreviewToken = z
  .object({
    metadata: z
      .object({
        name: z.string(),
        previewName: readOnly(z.string().optional()),
        resourceName: readOnly(z.string().optional()),
        resourceType: readOnly(z.string().optional()),
        workspace: readOnly(z.string().optional()),
      })
      .meta({ id: 'PreviewTokenMetadata' }),
    spec: z
      .object({
        expired: readOnly(z.boolean().optional()),
        expiresAt: z.string().optional(),
        token: readOnly(z.string().optional()),
      })
      .meta({ id: 'PreviewTokenSpec' }),
  })
  .meta({ id: 'PreviewToken' });
