// Test fixture: a deployment's authority and a listener with a certificate of it, as in the api.
import 'reflect-metadata';
import { createHash, KeyObject, randomBytes, webcrypto, X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { ingressServerName, nodeServerName } from '@berth/contract/node';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);
const usual: Validity = { from: -1, to: 9 };
const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

/** In days from now. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

export interface TestAuthority {
  readonly certificate: string;
  readonly fingerprint: string;
  /** `names` are the DNS names beside the subject; by default the name of the runner's ingress. */
  certify(request: string, name: string, validity?: Validity, names?: readonly string[]): Promise<string>;
  /** Certificate for a public key in PEM. */
  certifyKey(publicKey: string, name: string): Promise<string>;
  issueServer(name: string): Promise<{ certificate: string; key: string }>;
}

export async function makeAuthority(): Promise<TestAuthority> {
  const keys = await makeKeys();
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(8).toString('hex'),
    name: 'CN=nodes of a test',
    notBefore: days(-1),
    notAfter: days(10),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const sign = async (name: string, publicKey: x509.PublicKeyType, validity: Validity, names: readonly string[]) => {
    const made = await x509.X509CertificateGenerator.create({
      serialNumber: randomBytes(8).toString('hex'),
      subject: `CN=${name}`,
      issuer: own.subject,
      notBefore: days(validity.from),
      notAfter: days(validity.to),
      signingAlgorithm: algorithm,
      publicKey,
      signingKey: keys.privateKey,
      extensions: names.map((value) => new x509.SubjectAlternativeNameExtension([{ type: 'dns', value }])),
    });
    return made.toString('pem');
  };
  const certificate = own.toString('pem');
  return {
    certificate,
    fingerprint: createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex'),
    certify: (request, name, validity = usual, names = [ingressServerName(name)]) =>
      sign(name, new x509.Pkcs10CertificateRequest(request).publicKey, validity, names),
    certifyKey: (publicKey, name) => sign(name, new x509.PublicKey(publicKey), usual, [name]),
    async issueServer(name) {
      const pair = await makeKeys();
      const key = KeyObject.from(pair.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
      return { certificate: await sign(name, pair.publicKey, usual, [name]), key };
    },
  };
}

export interface TestListener extends AsyncDisposable {
  readonly url: string;
}

export type Handle = (path: string, body: unknown, caller: string | undefined, response: ServerResponse) => void;

/**
 * Identifies callers by their certificate, as the api does. `presented` is the authority that the listener sends
 * behind its own certificate.
 */
export async function startListener(
  authority: TestAuthority,
  handle: Handle,
  { name = nodeServerName, presented = authority }: { name?: string; presented?: TestAuthority } = {},
): Promise<TestListener> {
  const { certificate, key } = await authority.issueServer(name);
  const cert = `${certificate}\n${presented.certificate}`;
  const tls = { key, cert, ca: authority.certificate, requestCert: true, rejectUnauthorized: false };
  const server = createServer(tls, async (request: IncomingMessage, response) => {
    const { socket } = request;
    const caller =
      socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate().subject.CN : undefined;
    const text = Buffer.concat(await request.toArray()).toString();
    handle(request.url ?? '', JSON.parse(text), [caller].flat()[0], response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
