// Short-lived tokens that open one drive. The deployment's key signs them; storage verifies them with the public key
// set alone.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { Database } from '@berth/database';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { z } from 'zod';
import { loadDeploymentKey } from '../sealing/deployment-key.ts';
import type { MasterKeyRing } from '../sealing/master-keys.ts';

const PublicJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});
export type PublicJwk = z.infer<typeof PublicJwk>;

export interface DriveTokenClaims {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly driveName: string;
  readonly driveUid: string;
  readonly subject: string;
  readonly subjectType: string;
}

export interface DriveTokens {
  issue(claims: DriveTokenClaims): Promise<{ token: string; expiresInSeconds: number }>;
  jwks(): Promise<{ keys: PublicJwk[] }>;
}

interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicJwk: PublicJwk;
}

const purpose = 'drive-token';
/** Audience of drive tokens. A verifier requires it, so that no other token of this issuer opens a drive. */
export const driveTokenAudience = 'drives';

export function createDriveTokens(
  db: Database,
  ring: MasterKeyRing,
  options: { issuer: string; lifetimeSeconds?: number },
): DriveTokens {
  const { issuer, lifetimeSeconds = 900 } = options;
  let loading: Promise<SigningKey> | undefined;

  function signingKey(): Promise<SigningKey> {
    // A failed load is cleared, so that the next call tries again.
    loading ??= loadSigningKey(db, ring).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  return {
    async issue({ subject, subjectType, workspaceId, workspaceName, driveName, driveUid }) {
      const { privateKey, publicJwk } = await signingKey();
      const token = await new SignJWT({
        sub_type: subjectType,
        workspace: workspaceName,
        workspace_id: workspaceId,
        drive: driveName,
        drive_uid: driveUid,
      })
        .setProtectedHeader({ alg: publicJwk.alg, kid: publicJwk.kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setAudience(driveTokenAudience)
        .setSubject(subject)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${lifetimeSeconds}s`)
        .sign(privateKey);
      return { token, expiresInSeconds: lifetimeSeconds };
    },
    jwks: async () => ({ keys: [(await signingKey()).publicJwk] }),
  };
}

async function loadSigningKey(db: Database, ring: MasterKeyRing): Promise<SigningKey> {
  const { secret, publicPart } = await loadDeploymentKey(db, ring, purpose, async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    return { secret: privateKey.export({ format: 'der', type: 'pkcs8' }), publicPart: await publicJwkOf(privateKey) };
  });
  const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  const publicJwk = await publicJwkOf(privateKey);
  // The stored public part is not sealed. Without this check, an attacker who can change it could have forged tokens
  // accepted.
  if (PublicJwk.parse(publicPart).x !== publicJwk.x) {
    throw new Error(
      'The public part of the drive token key does not belong to its private part. Restore the deployment_keys row.',
    );
  }
  return { privateKey, publicJwk };
}

async function publicJwkOf(privateKey: KeyObject): Promise<PublicJwk> {
  const jwk = await exportJWK(createPublicKey(privateKey));
  return PublicJwk.parse({ ...jwk, kid: await calculateJwkThumbprint(jwk), alg: 'EdDSA', use: 'sig' });
}
