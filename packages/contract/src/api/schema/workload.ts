// Parts of `spec` that workloads share; control-plane sheet 2.1, 2.7, 2.8.
import { z } from 'zod';
import { readCron } from '../cron.ts';
import { pathTriggerTypes, plainTriggerPath, type TriggeredKind, triggerPathFault } from '../trigger-path.ts';
import { Env, FreeForm, Port } from './shared.ts';
import { AbsolutePath, Count, HttpUrl, Text } from './text.ts';

export const Envs = z.array(Env).max(1000);
export const Ports = z.array(Port).max(100);
export const Generation = z.enum(['mk2', 'mk3']);
export const Scale = z.int().min(0).max(10_000);
export const Repository = z.object({ type: Text.optional(), url: Text.optional() }).meta({ id: 'Repository' });

/** Five-field cron; the message names the field that is wrong. */
const Schedule = z
  .string()
  .max(256)
  .superRefine((text, context) => {
    const read = readCron(text);
    if ('reason' in read) context.addIssue({ code: 'custom', message: read.reason });
  });

const TriggerConfiguration = z
  .object({
    authenticationType: z.string().max(63).optional().describe('private (the default) or public'),
    callbackUrl: HttpUrl.optional(),
    path: z.string().max(1024).optional(),
    retry: z.int().min(0).max(10).optional(),
    schedule: Schedule.optional(),
    tasks: z.array(FreeForm).max(1000).optional(),
    timeout: z.int().min(1).max(86_400).optional(),
  })
  .meta({ id: 'TriggerConfigurationInput' });

const TriggerInput = z.object({
  configuration: TriggerConfiguration.optional(),
  enabled: z.boolean().default(true),
  id: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[\w.-]+$/, 'letters, digits, dots, hyphens and underscores')
    .optional(),
  type: z.enum(['http', 'http-async', 'cron']),
});

const maxAsyncSeconds = 900;

const Triggers = z
  .array(
    TriggerInput.refine(
      ({ type, configuration }) => type !== 'http-async' || (configuration?.timeout ?? 0) <= maxAsyncSeconds,
      { path: ['configuration', 'timeout'], message: `at most ${maxAsyncSeconds} for http-async` },
    )
      .refine(({ type, configuration }) => type !== 'cron' || configuration?.schedule !== undefined, {
        path: ['configuration', 'schedule'],
        message: 'a cron trigger needs a schedule, for example "0 4 * * *"',
      })
      .meta({ id: 'TriggerInput' }),
  )
  .max(100);

/**
 * Triggers of a kind, whose paths are checked. A job answers nothing at an address of its own, so its triggers of type http
 * need a path.
 */
export const triggersOf = (kind: TriggeredKind) =>
  Triggers.superRefine((triggers, context) => {
    const types: readonly string[] = pathTriggerTypes[kind];
    for (const [index, { type, configuration }] of triggers.entries()) {
      const message = types.includes(type) ? pathFault(kind, configuration?.path) : undefined;
      if (message !== undefined) context.addIssue({ code: 'custom', path: [index, 'configuration', 'path'], message });
    }
  });

function pathFault(kind: TriggeredKind, path: string | undefined): string | undefined {
  if (path !== undefined) return triggerPathFault(plainTriggerPath(path));
  return kind === 'job' ? 'a trigger of type http needs a path, for example "hooks/orders"' : undefined;
}

/** The service makes the callback secret; it is shown in clear once, masked afterwards. */
export const triggersShown = {
  triggers: z
    .array(
      TriggerInput.extend({
        configuration: TriggerConfiguration.extend({ callbackSecret: z.string().optional() })
          .meta({ id: 'TriggerConfiguration' })
          .optional(),
      }).meta({ id: 'Trigger' }),
    )
    .optional(),
};

export const callbackSecrets = {
  path: ['triggers', '*', 'configuration', 'callbackSecret'],
  shown: 'masked',
} as const;

const VolumeAttachment = z
  .object({
    mountPath: AbsolutePath,
    name: z.string().min(1).max(63),
    readOnly: z.boolean().optional(),
    sizeMb: Count.optional(),
    type: z.enum(['persistent', 'ephemeral']).default('persistent'),
  })
  .refine(({ type, sizeMb }) => type !== 'ephemeral' || (sizeMb ?? 0) > 0, {
    path: ['sizeMb'],
    message: 'an ephemeral volume needs a size in MB',
  })
  .meta({ id: 'VolumeAttachment' });

export const VolumeAttachments = z.array(VolumeAttachment).max(100);
