import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { afterEach, expect, test } from 'vitest';
import { forwardPort } from './forward-port.ts';

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(server: Server): Promise<number> {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const forwarded = async (address: string): Promise<number> => listen(await forwardPort(new URL(address), 'the-key'));

/** Answers with what it was sent. */
function far(): Server {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    response.setHeader('x-seen', `${method} ${url} ${headers.authorization} ${headers.host}`);
    response.end(`got ${await text(request)}`);
  });
  server.on('upgrade', (request, socket, begin) => {
    if (request.url?.endsWith('/refused')) return socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\nno\n');
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n${begin}`);
    return socket.pipe(socket);
  });
  return server;
}

async function upgrade(port: number, path: string, said: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: local\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n${said}`);
  let heard = '';
  for await (const bytes of socket) {
    heard += bytes;
    if (heard.endsWith(`\r\n\r\n${said}`)) break;
  }
  return heard;
}

test('a request is passed on with its body and with the key', async () => {
  const port = await listen(far());
  const local = await forwarded(`http://127.0.0.1:${port}/main/sandboxes/demo/port/3000`);
  const answer = await fetch(`http://127.0.0.1:${local}/x?y`, { method: 'POST', body: 'that' });
  expect(await answer.text()).toBe('got that');
  const path = '/main/sandboxes/demo/port/3000/x?y';
  expect(answer.headers.get('x-seen')).toBe(`POST ${path} Bearer the-key 127.0.0.1:${port}`);
});

test('a WebSocket is passed on, and its refusal too', async () => {
  const local = await forwarded(`http://127.0.0.1:${await listen(far())}/port/3000`);
  expect(await upgrade(local, '/socket', 'hello')).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nhello$/);
  expect(await upgrade(local, '/refused', 'hello')).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*\r\n\r\nno\n$/);
});

test('a deployment that does not answer is told to the caller', async () => {
  const server = far();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  const local = await forwarded(`http://127.0.0.1:${port}/port/3000`);
  const answer = await fetch(`http://127.0.0.1:${local}/`);
  expect([answer.status, await answer.text()]).toEqual([502, expect.stringContaining('ECONNREFUSED')]);
  expect(await upgrade(local, '/socket', 'hello')).toContain('502 Bad Gateway');
});

test('a deployment behind TLS is reached with its certificate checked', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=localhost', signingAlgorithm: algorithm, keys },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  });
  const cert = certificate.toString('pem');
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  const server = createTlsServer({ key, cert }, (_, response) => response.end('over TLS'));
  const local = await forwarded(`https://localhost:${await listen(server)}/port/3000`);
  const body = async (): Promise<string> => (await fetch(`http://127.0.0.1:${local}/`)).text();
  expect(await body()).toContain('self-signed certificate');
  const known = getCACertificates();
  setDefaultCACertificates([cert]);
  try {
    expect(await body()).toBe('over TLS');
  } finally {
    setDefaultCACertificates(known);
  }
});
