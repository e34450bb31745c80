import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeSettings } from './describe-settings.ts';

test('every setting is described with its variable, its default and its reason', () => {
  const schema = z.object({
    api: z
      .object({
        port: z.int().default(8080).describe('Port to listen on.'),
        publicUrl: z.url().optional().describe('Address that clients use.'),
      })
      .prefault({}),
    postgres: z.object({ url: z.string().describe('Where the records are.') }),
  });
  expect(describeSettings(schema)).toEqual([
    { path: 'api.port', variable: 'BERTH_API_PORT', fallback: '8080', required: false, reason: 'Port to listen on.' },
    {
      path: 'api.publicUrl',
      variable: 'BERTH_API_PUBLIC_URL',
      fallback: undefined,
      required: false,
      reason: 'Address that clients use.',
    },
    {
      path: 'postgres.url',
      variable: 'BERTH_POSTGRES_URL',
      fallback: undefined,
      required: true,
      reason: 'Where the records are.',
    },
  ]);
});
