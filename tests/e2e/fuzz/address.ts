// Path and query of a request.
import { type Operation, pathParameters } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import { arbitraryOf } from './arbitrary-of.ts';
import { hostileText } from './nonsense.ts';
import { type FuzzSetting, often, type Part } from './setting.ts';

/** Like encodeURIComponent, but accepts halves of surrogate pairs, for which encodeURIComponent throws. */
const encode = (text: string): string =>
  [...Buffer.from(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[\w.-]/.test(letter) ? letter : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');

/** Odd values that a program can put between two slashes. */
const oddSegments = [
  ...[
    '%00',
    '%',
    '%zz',
    '%2F',
    '%2e%2e',
    '..',
    '.',
    '',
    '%ED%A0%80',
    '%ff%fe',
    '%F0%9F%92%A5',
    '~',
    ';a=b',
    '*',
    '%25',
  ],
  ...['a%20b', 'A', '__proto__', 'constructor', 'jwks.json', 'by-external-id', '_', '%0d%0aX:1', 'usage', 'hub'],
  ...['x'.repeat(256), 'x'.repeat(257), 'x'.repeat(301), '%61'.repeat(100)],
];
const oddSegment: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddSegments) },
  { weight: 1, arbitrary: hostileText.map((text) => encode(text.slice(0, 200))) },
);

/** Ids that only the server creates; they are filled in when the request is sent. */
export const harvested = ['clientId', 'apiKeyId', 'executionId'] as const;

/** Path parameters with a single existing value; no request creates another. */
const single = new Set([
  'accountId',
  'externalId',
  'featureKey',
  'integrationName',
  'modelId',
  'month',
  'subOrEmail',
  'templateName',
  'versionName',
]);

function usualSegments(name: string, { params, workspace }: FuzzSetting): string[] {
  const known = params[name] ?? 'base';
  if (harvested.some((one) => one === name)) return [`{{${name}}}`, `{{${name}}}`, known];
  if (name === 'workspace') return [workspace];
  // Never the workspace that the other requests use: a request would delete it.
  if (name === 'workspaceName') return ['fuzz-a', 'fuzz-b'];
  if (name === 'domainName') return ['a.example.com', 'b.example.com', known];
  if (name === 'resourceType') return ['sandbox', 'agent', '_'];
  return single.has(name) ? [known] : ['a', 'b', 'c', 'd', known];
}

export function pathOf(operation: Operation, setting: FuzzSetting): Part<string> {
  const names = pathParameters(operation.path);
  const base = operation.base === 'api_url' ? '' : '/v0';
  const usual = names.map((name) => fc.constantFrom(...usualSegments(name, setting).map(encodeKept)));
  const filled = (segments: readonly Arbitrary<string>[]) =>
    fc.tuple(...segments).map((values) => {
      let index = 0;
      return base + operation.path.replace(/\{\w+\}/g, () => values[index++] ?? '');
    });
  return { usual: filled(usual), bent: filled(usual.map((segment) => often(segment, 4, oddSegment))) };
}

const encodeKept = (text: string): string => (text.startsWith('{{') ? text : encode(text));

const oddPairs = [
  ...['limit=-1', 'limit=1e3', 'limit=99999999999999999999', 'limit=0', 'limit=', 'sort=', 'q=%', 'q=%00', 'q=%zz'],
  ...['workspace=', 'workspace=nowhere', 'workspace=a&workspace=b', 'a[]=1', 'a[b]=c', '__proto__=1', '=', '&&', '%'],
  ...['cursor=v1.AAAA', 'cursor=%ff', 'limit=1&limit=2', 'sort=name:asc&sort=name:desc', 'q=a&q=b', 'status=,,,'],
  ...['anchor=end', 'anchor=end&sort=name:asc', 'upload=true', 'offset=-1', 'offset=2147483648', 'version=a&version=b'],
];
const oddPair: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...oddPairs) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('q', 'cursor', 'sort', 'status', 'externalId', 'workspace', 'version', 'limit'),
        hostileText,
      )
      .map(([name, text]) => `${name}=${encode(text.slice(0, 1500))}`),
  },
);

/** Parameters that a good client omits: the workspace is in a header, cursors are sealed, uploads are not served. */
const unusual = new Set(['workspace', 'cursor', 'upload']);

export function queryOf({ query, queryBeforeWrappedLists }: Operation): Part<string> {
  const schemas = [query, ...(queryBeforeWrappedLists === undefined ? [] : [queryBeforeWrappedLists])];
  const pairs = fc.oneof(...schemas.map(arbitraryOf)).map((values) =>
    Object.entries(values as Record<string, unknown>)
      .filter(([name, value]) => !unusual.has(name) && value !== undefined)
      .map(([name, value]) => `${encode(name)}=${encode(String(value).slice(0, 1500))}`),
  );
  const odd = fc.array(oddPair, { minLength: 1, maxLength: 3 });
  const join = (parts: readonly string[]) => (parts.length === 0 ? '' : `?${parts.join('&')}`);
  return {
    usual: pairs.map(join),
    bent: fc.tuple(pairs, often(fc.constant<string[]>([]), 3, odd)).map((parts) => join(parts.flat())),
  };
}
