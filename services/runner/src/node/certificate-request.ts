import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

export interface CertificateRequest {
  /** Private key, PEM; it stays on this machine. */
  readonly key: string;
  /** PKCS #10, PEM. */
  readonly request: string;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Creates a new key and the request to certify it. The name is only informative: the api certifies the runner's id. */
export async function makeCertificateRequest(name: string): Promise<CertificateRequest> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { key, request: request.toString('pem') };
}
