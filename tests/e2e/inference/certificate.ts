import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate extends AsyncDisposable {
  readonly certFile: string;
  readonly keyFile: string;
  readonly pem: Buffer;
}

/** Makes a self-signed certificate. Names are in openssl's form: `DNS:*.local.localhost`, `IP:127.0.0.1`. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-certificate-'));
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  const subject = ['-subj', '/CN=berth', '-addext', `subjectAltName=${names.join(',')}`, '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', certFile, ...subject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return {
    ...{ certFile, keyFile, pem: await readFile(certFile) },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
