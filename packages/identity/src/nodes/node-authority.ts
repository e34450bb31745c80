// The deployment's own certificate authority: runners and the api's node listener authenticate each other with its
// certificates. Its key is stored like every key of the deployment, wrapped by the operator's master key.
import 'reflect-metadata';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { type IngressCaller, ingressCallerName, ingressServerName } from '@berth/contract/node';
import type { Database } from '@berth/database';
import * as x509 from '@peculiar/x509';
import { z } from 'zod';
import { loadDeploymentKey } from '../sealing/deployment-key.ts';
import type { MasterKeyRing } from '../sealing/master-keys.ts';

export interface IssuedKey {
  readonly certificate: string;
  readonly key: string;
}

export interface NodeAuthority {
  /** PEM. */
  readonly certificate: string;
  /** SHA-256 of the certificate in hex. A join token carries it, so that a new runner can verify its server. */
  readonly fingerprint: string;
  /**
   * Certificate for the key in a PKCS #10 request. The names in it are set here, regardless of the request. A runner
   * uses it to call the api and to answer gateways. Throws when the request is malformed.
   */
  certifyRunner(request: string, runnerId: string): Promise<string>;
  /**
   * Certificate for a public key in PEM, with which a gateway or an api calls runners. Throws when the key is
   * malformed.
   */
  certifyCaller(publicKey: string, caller: IngressCaller): Promise<string>;
  /** A new key and certificate for a listener of that name. */
  issueServer(name: string): Promise<IssuedKey>;
}

const purpose = 'node-authority';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
const authorityDays = 3_650;
/** The runner renews its certificate when a third of this time is left. */
const runnerDays = 30;
const serverDays = 90;
/**
 * Short, because these certificates are never revoked. Renewed when a third of the time is left, so an api may be down
 * for a day.
 */
const callerDays = 3;
/** Tolerance for clocks that differ between machines. */
const skewMs = 5 * 60_000;

const { clientAuth, serverAuth } = x509.ExtendedKeyUsage;
type Uses = readonly x509.ExtendedKeyUsage[];

const PublicPart = z.object({ certificate: z.string() });

/** Returns the public certificate in PEM. A gateway verifies runners with it and needs no master key for that. */
export async function loadNodeAuthorityCertificate(database: Database): Promise<string> {
  const row = await database
    .selectFrom('deployment_keys')
    .select('public_part')
    .where('purpose', '=', purpose)
    .executeTakeFirst();
  if (row === undefined) {
    throw new Error(
      'This deployment has no node authority yet. Start an api with its node listener once: it makes one.',
    );
  }
  return PublicPart.parse(row.public_part).certificate;
}

export async function createNodeAuthority(database: Database, ring: MasterKeyRing): Promise<NodeAuthority> {
  const { secret, publicPart } = await loadDeploymentKey(database, ring, purpose, makeAuthority);
  const { certificate } = PublicPart.parse(publicPart);
  const issuer = new x509.X509Certificate(certificate);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', secret, algorithm, false, ['sign']);
  const sign = async (subject: string, publicKey: x509.PublicKeyType, days: number, name: string, uses: Uses) => {
    const made = await x509.X509CertificateGenerator.create({
      serialNumber: randomBytes(16).toString('hex'),
      subject,
      issuer: issuer.subject,
      ...validFor(days),
      signingAlgorithm: algorithm,
      publicKey,
      signingKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.ExtendedKeyUsageExtension([...uses]),
        new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
      ],
    });
    return made.toString('pem');
  };
  return {
    certificate,
    fingerprint: fingerprintOf(certificate),
    async certifyRunner(request, runnerId) {
      const parsed = new x509.Pkcs10CertificateRequest(request);
      if (!(await parsed.verify())) throw new Error('the request is not signed by its own key');
      return sign(`CN=${runnerId}`, parsed.publicKey, runnerDays, ingressServerName(runnerId), [
        clientAuth,
        serverAuth,
      ]);
    },
    async certifyCaller(publicKey, caller) {
      const der = createPublicKey(publicKey).export({ type: 'spki', format: 'der' });
      return sign(`CN=${caller}`, new x509.PublicKey(der), callerDays, ingressCallerName(caller), [clientAuth]);
    },
    async issueServer(name) {
      const pair = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      return {
        certificate: await sign(`CN=${name}`, pair.publicKey, serverDays, name, [serverAuth]),
        key: pemOf(await pkcs8(pair.privateKey)),
      };
    },
  };
}

async function makeAuthority() {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(16).toString('hex'),
    name: 'CN=Berth nodes',
    ...validFor(authorityDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { secret: await pkcs8(keys.privateKey), publicPart: { certificate: certificate.toString('pem') } };
}

const validFor = (days: number) => ({
  notBefore: new Date(Date.now() - skewMs),
  notAfter: new Date(Date.now() + days * dayMs),
});

const pkcs8 = async (key: webcrypto.CryptoKey): Promise<Buffer> =>
  Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));

function pemOf(der: Buffer): string {
  const key: KeyObject = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return key.export({ format: 'pem', type: 'pkcs8' }).toString();
}

const fingerprintOf = (certificate: string): string =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');
