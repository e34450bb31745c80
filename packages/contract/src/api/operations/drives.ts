// Tokens for one drive and the key that verifies them; control-plane sheet 1.12.
import { z } from 'zod';
import { member, publicAccess } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const Jwk = z
  .object({
    kty: z.string(),
    crv: z.string(),
    x: z.string(),
    kid: z.string(),
    alg: z.string(),
    use: z.string(),
  })
  .meta({ id: 'JsonWebKey' });

export const getDriveKeys = defineOperation({
  ...at('/drives/jwks.json'),
  id: 'getDriveKeys',
  method: 'GET',
  tag: 'Drives',
  summary: 'Read the public keys that verify drive tokens',
  access: publicAccess,
  query: z.object({}),
  answer: z.object({ keys: z.array(Jwk) }).meta({ id: 'JsonWebKeySet' }),
});

export const createDriveAccessToken = defineOperation({
  ...at('/drives/{driveName}/access-token'),
  id: 'createDriveAccessToken',
  method: 'POST',
  tag: 'Drives',
  summary: 'Issue a short-lived token for one drive',
  access: member('drives:get'),
  query: WorkspaceQuery,
  answer: z
    .object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() })
    .meta({ id: 'DriveAccessToken' }),
  audit: 'drive.issue-token',
  secretAnswer: true,
});
