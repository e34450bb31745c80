// Requests with addresses and identities that the caller may not use.
import { type Attack, agentPath, requestText } from './request-text.ts';

function badHost(attack: Attack): string {
  const { own, other, nonce, dice } = attack;
  const host = dice.pick<string | undefined>([
    undefined,
    '',
    ' ',
    own.host,
    other.host,
    other.host.toUpperCase(),
    `${other.host}.`,
    `${other.host}:80`,
    `${other.host}:99999`,
    `${other.host}:`,
    `${own.host}@${other.host}`,
    `${other.host}@${own.host}`,
    `${own.host}, ${other.host}`,
    `${own.host} ${other.host}`,
    `${own.host}\t`,
    `${own.host}\0.${other.host}`,
    `${own.host}/${other.host}`,
    `x.${other.host}`,
    other.host.replace('agt-', 'mcp-'),
    other.host.replace('agt-', 'sbx-'),
    other.host.replace('-', '\u00ad'),
    other.host.replace('local', '..'),
    other.host.replaceAll('.', '%2e'),
    `${'a'.repeat(300)}.local.localhost`,
    'agt-.local.localhost',
    'localhost',
    '[::1]',
    '[::1',
    '127.0.0.1:8080',
    '\xc3\xa9.local.localhost',
    '*.local.localhost',
  ]);
  const again = dice.chance(0.25) ? [`Host: ${dice.pick([own.host, other.host, '127.0.0.1'])}`] : [];
  const target = dice.chance(0.6) ? `/${nonce}` : agentPath(dice.pick([own, other]), `/${nonce}`);
  return requestText(attack, { target, host, lines: again });
}

function oddPath(attack: Attack): string {
  const { own, other, nonce, dice } = attack;
  const mine = agentPath(own);
  const theirs = agentPath(other);
  const target = dice.pick([
    theirs,
    `${theirs}/${nonce}`,
    `${mine}/../../../${theirs}`,
    `${mine}/%2e%2e/%2e%2e/%2e%2e${theirs}`,
    `${mine}/..%2f..%2f..%2f${other.workspace}%2fagents%2fguarded`,
    `${mine}%2f..%2f..%2f..${theirs}`,
    `/${own.workspace}/..${theirs}`,
    `/${own.workspace}/%2e%2e${theirs}`,
    `/${own.workspace}%2f..${theirs}`,
    `/.${theirs}`,
    `/${theirs}`,
    `//${other.host}${theirs}`,
    `${mine}%00${theirs}`,
    `${mine}/%00`,
    `${mine}/%`,
    `${mine}/%zz`,
    `${mine}/%c0%ae%c0%ae/`,
    `${mine}//${nonce}//`,
    `${mine}/a%2Fb?x=%2F`,
    `${mine}/a\\..\\..\\b`,
    `${mine}?x=1?y=${theirs}`,
    `${mine}#${theirs}`,
    `${mine}/\xe9\xff`,
    `${mine}/a b`,
    `${mine}/\x01`,
    `${mine}/${'a'.repeat(dice.pick([1_000, 30_000, 60_000, 70_000, 200_000]))}`,
    `${mine}${'/..'.repeat(5_000)}${theirs}`,
    `/${own.workspace}/agents%2fguarded`,
    `/${own.workspace}/AGENTS/guarded`,
    `/${own.workspace}/agents/`,
    `/${own.workspace}/agents/guarded%20`,
    `/${own.workspace}/functions/guarded`,
    `/${other.workspace};/agents/guarded`,
    `http://${other.host}/${nonce}`,
    `http://127.0.0.1${theirs}`,
    `https://${own.host}@${other.host}/`,
    `HTTP://${other.host.toUpperCase()}/`,
    `${other.host}:80`,
    '*',
    '',
    '/',
    '?',
    'guarded',
    `${mine}?status=${dice.pick(['500', '503', '599', '404', '204', '304'])}`,
  ]);
  const method = dice.pick([
    'GET',
    'GET',
    'GET',
    'POST',
    'OPTIONS',
    'CONNECT',
    'TRACE',
    'get',
    'G\0T',
    'PROPFIND',
    'X'.repeat(500),
  ]);
  const version = dice.pick([
    'HTTP/1.1',
    'HTTP/1.1',
    'HTTP/1.1',
    'HTTP/1.0',
    'HTTP/2.0',
    'HTTP/0.9',
    'HTTP/1.9',
    'http/1.1',
    'ICY',
  ]);
  return requestText(attack, { method, target, version });
}

function forgedIdentity(attack: Attack): string {
  const { other, dice } = attack;
  const names = [
    'X-Service-Subject',
    'X-Service-Subject-Type',
    'X-Service-Workspace',
    'X-Service-Workload',
    'X-Service-Source',
    'X-Service-Error-Code',
    'X-Service-Dispatch-State',
    'X-Service-Anything',
    'x_service_subject',
    'X-SERVICE_Workspace',
    'Forwarded',
    'X-Forwarded-For',
    'X-Forwarded-Proto',
    'X-Forwarded-Host',
    'x_forwarded_for',
    'X-Real-Ip',
    'X-Original-Url',
    'Proxy-Authorization',
    'X-Request-Id',
    'traceparent',
    'Mcp-Session-Id',
  ] as const;
  const values = [
    'forged',
    other.workspace,
    `for=forged;host=${other.host}`,
    '',
    'forged, forged',
    'f'.repeat(5_000),
  ] as const;
  const count = 1 + dice.below(6);
  const lines = Array.from({ length: count }, () => `${dice.pick(names)}: ${dice.pick(values)}`);
  const stripped = dice.chance(0.3)
    ? [
        `Connection: ${dice.pick(['X-Service-Subject', 'host', 'authorization', 'X-Service-Workspace, X-Request-Id', 'cookie'])}`,
      ]
    : [];
  return requestText(attack, { lines: [...lines, ...stripped], stays: stripped.length > 0 });
}

function oversized(attack: Attack): string {
  const { dice } = attack;
  const lines = dice.pick<readonly string[]>([
    [`X-Long: ${'v'.repeat(dice.pick([20_000, 63_000, 66_000, 300_000]))}`],
    [`${'N'.repeat(dice.pick([1_000, 66_000]))}: v`],
    Array.from({ length: dice.pick([500, 1_900, 2_100, 10_000]) }, (_, index) => `X-${index}: v`),
    Array.from({ length: 3_000 }, () => ':'),
    [`Cookie: ${'service_revision=a.b.c.d; '.repeat(2_000)}`],
    [`Mcp-Session-Id: ${'s'.repeat(30_000)}`],
    [`Authorization: Bearer ${'k'.repeat(30_000)}`],
    [`X-Service-Authorization: Bearer service_${'k'.repeat(3_000)}`],
  ]);
  return requestText(attack, { lines });
}

export const addressShapes = { badHost, oddPath, forgedIdentity, oversized };
