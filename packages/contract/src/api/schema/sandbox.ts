// Parts of a sandbox; control-plane sheet 2.8.
import { z } from 'zod';
import { knownKeys } from './known-keys.ts';
import {
  Count,
  Duration,
  ImageReference,
  Instant,
  LongText,
  MemoryMb,
  mapOf,
  ResourceName,
  Text,
  Texts,
} from './text.ts';
import { Envs, Generation, Ports, VolumeAttachments } from './workload.ts';

/** `null` and the empty string both remove a rule. */
const clearable = <T extends z.ZodType>(rule: T) => z.union([rule, z.literal('')]).nullable();

export const SandboxRuntime = knownKeys({
  dockerConfig: LongText.optional().meta({ writeOnly: true }),
  envs: Envs.optional(),
  expires: clearable(Instant).optional(),
  extraArgs: mapOf(z.string().max(256), { keys: 64 }).optional(),
  generation: Generation.optional(),
  image: ImageReference.optional(),
  memory: MemoryMb.optional(),
  ports: Ports.optional(),
  skipBuild: z.string().max(16).optional(),
  snapshotEnabled: z.boolean().optional(),
  storageMb: Count.optional(),
  terminationGracePeriodSeconds: z.int().min(0).max(86_400).optional(),
  ttl: clearable(Duration).optional(),
});

const ExpirationPolicy = z
  .object({
    action: z.enum(['delete']).default('delete'),
    type: z.enum(['ttl-idle', 'ttl-max-age', 'date']),
    value: z.string().max(64),
  })
  .superRefine(({ type, value }, context) => {
    const form = type === 'date' ? Instant : Duration;
    if (form.safeParse(value).success) return;
    const expected = type === 'date' ? 'an RFC 3339 time' : 'a whole number and one of s, m, h, d, w';
    context.addIssue({ code: 'custom', path: ['value'], message: `${type} needs ${expected}` });
  })
  .meta({ id: 'ExpirationPolicy' });

export const SandboxLifecycle = z.object({
  expirationPolicies: z.array(ExpirationPolicy).max(100).optional(),
  terminatedRetention: Duration.optional(),
});

const EgressPolicy = z
  .object({
    destinations: Texts.optional(),
    mode: z.enum(['dedicated', 'shared']).optional(),
    name: Text.optional(),
  })
  .meta({ id: 'EgressPolicy' });

const ProxyTarget = z
  .object({
    body: mapOf(LongText).optional(),
    destinations: Texts.optional(),
    headers: mapOf(LongText).optional(),
    secrets: mapOf(LongText).optional().meta({ writeOnly: true }),
  })
  .meta({ id: 'ProxyTarget' });

export const SandboxNetwork = z.object({
  allowedDomains: Texts.optional().meta({ deprecated: true }),
  egress: z
    .object({
      gateway: ResourceName.optional(),
      mode: z.enum(['dedicated']).optional(),
      policies: z.array(EgressPolicy).max(100).optional(),
    })
    .optional(),
  firewall: z
    .object({
      rulesets: z
        .array(z.enum(['default', 'proxy', 'dedicated-ip']))
        .max(10)
        .optional(),
    })
    .optional(),
  forbiddenDomains: Texts.optional().meta({ deprecated: true }),
  proxy: z
    .object({
      allowedDomains: Texts.optional(),
      bypass: Texts.optional(),
      forbiddenDomains: Texts.optional(),
      routing: z.array(ProxyTarget).max(100).optional(),
    })
    .optional(),
  subnet: z.string().min(1).max(63).optional(),
});

export const SandboxVolumes = VolumeAttachments.refine(
  (attachments) => attachments.filter(({ type }) => type === 'persistent').length <= 1,
  'at most one persistent volume',
);

export const SandboxInfrastructureError = z
  .object({
    code: z.string().optional(),
    fatal: z.boolean().optional(),
    instance: z.string().optional(),
    message: z.string().optional(),
    time: z.string().optional(),
  })
  .meta({ id: 'SandboxInfrastructureError' });

/** Error body of sandbox creation once the caller is known. */
export const SandboxError = z
  .object({
    code: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
    message: z.string(),
    reason: z.string().optional(),
    sandbox_name: z.string().optional(),
    status_code: z.int().optional(),
    step: z.string().optional(),
    timestamp: z.string().optional(),
    workspace: z.string().optional(),
  })
  .meta({ id: 'SandboxError' });
