// Entrypoint of the stand-in for ClickHouse: takes address and account from the files of the server's configuration, and lets only
// that account in.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';

const configuration = '/etc/clickhouse-server';
const data = '/var/lib/clickhouse';
const socket = '/tmp/clickhouse.sock';

const textOf = (pattern: string): string =>
  globSync(`${configuration}/${pattern}`)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
const config = textOf('config.d/*.xml');
const users = textOf('users.d/*.xml');
const valueIn = (text: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
const [, user] = /<users>[\s\S]*?<(\w+)>\s*<password_sha256_hex>/.exec(users) ?? [];
const hash = valueIn(users, 'password_sha256_hex');

function isAllowed({ headers, url = '' }: IncomingMessage): boolean {
  const { searchParams } = new URL(url, 'http://localhost');
  const [, basic = ''] = /^Basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  const [, basicUser, basicPassword] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
  const name = headers['x-clickhouse-user'] ?? basicUser ?? searchParams.get('user');
  const password = headers['x-clickhouse-key'] ?? basicPassword ?? searchParams.get('password') ?? '';
  return name === user && createHash('sha256').update(String(password)).digest('hex') === hash;
}

const engine = spawn(
  process.execPath,
  [join(import.meta.dirname, 'clickhouse-server.ts'), join(data, 'chdb'), socket],
  {
    stdio: 'inherit',
  },
);
engine.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => engine.kill('SIGTERM'));

createServer((incoming, response) => {
  if (incoming.url !== '/ping' && !isAllowed(incoming)) {
    response.writeHead(403, { 'x-clickhouse-exception-code': '516' }).end('Code: 516. Authentication failed.\n');
    return;
  }
  const { url, method, headers } = incoming;
  const outgoing = request({ socketPath: socket, path: url, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}).listen(Number(valueIn(config, 'http_port') ?? 8123), valueIn(config, 'listen_host') ?? '0.0.0.0');
