// Headers of a request: credential, version, workspace, idempotency key, and some that no operation expects.
import { headerNames, type Operation, versions } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import { hostileText } from './nonsense.ts';
import { type FuzzSetting, often, type Part } from './setting.ts';

export type Headers = Readonly<Record<string, string>>;

/** Node sends header values as single bytes and refuses control characters. */
const headerText = hostileText.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 2000));

const header = (name: string, value: Arbitrary<string>): Arbitrary<Headers> => value.map((text) => ({ [name]: text }));
const nothing = fc.constant<Headers>({});
const together = (...parts: Arbitrary<Headers>[]): Arbitrary<Headers> =>
  fc.tuple(...parts).map((values) => Object.assign({}, ...values));

export function headersOf(operation: Operation, { brand, workspace, keys }: FuzzSetting): Part<Headers> {
  const names = headerNames(brand);
  const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
  const caller = fc.constantFrom(bearer(keys.admin), bearer(keys.admin), bearer(keys.admin), bearer(keys.member));
  const version = often(header(names.version, fc.constantFrom(...versions.map(({ name }) => name))), 9, nothing);
  const place = fc.constant<Headers>({ [names.workspace]: workspace });
  const key = header('idempotency-key', fc.constantFrom('one', 'two', 'three'));
  const oddCaller = fc.oneof(
    nothing,
    header('authorization', headerText),
    header(
      'authorization',
      headerText.map((text) => `Bearer ${text}`),
    ),
    fc.constant<Headers>({ [names.authorization]: `Bearer ${keys.member}`, ...bearer(keys.admin) }),
    fc.constant<Headers>({ [names.authorization]: 'Bearer wrong', ...bearer(keys.admin) }),
  );
  const oddVersion = header(
    names.version,
    often(headerText, 1, fc.constantFrom('2026-04-28.preview', '2026-13-01', '')),
  );
  const oddPlace = header(names.workspace, often(headerText, 1, fc.constantFrom('', 'fuzz-a', 'nowhere')));
  return {
    usual: together(caller, version, place, operation.method === 'POST' ? often(nothing, 5, key) : nothing),
    bent: together(
      often(caller, 6, oddCaller),
      often(version, 9, oddVersion),
      often(place, 9, oddPlace),
      often(nothing, 3, fc.oneof(key, header('idempotency-key', headerText))),
      often(nothing, 15, header('x-request-id', headerText)),
      often(nothing, 15, header('traceparent', headerText)),
      often(nothing, 15, header('accept', fc.constantFrom('text/html', '*/*;q=0', 'application/xml', ''))),
      often(nothing, 30, header('content-encoding', fc.constantFrom('gzip', 'br', 'identity'))),
      often(nothing, 30, header('x-forwarded-host', headerText)),
      often(nothing, 30, header('accept-version', headerText)),
    ),
  };
}
