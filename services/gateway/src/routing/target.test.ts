import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Route } from './route.ts';
import { targetOf } from './target.ts';

const sandbox = { kind: 'sandbox', ports: [3000, 8080] } as const;
const byPath = (path: string): Route => ({ by: 'path', workspace: 'main', kind: 'sandbox', name: 's', path });
const byHost = (path: string): Route => ({ by: 'host', region: 'eu', label: 'sbx-s-main', path });
const refuse = { undeclaredPorts: 'refuse' } as const;
const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });

describe('the target inside a sandbox', () => {
  test('keeps the path after the port byte for byte', () => {
    fc.assert(
      fc.property(visible, (rest) => {
        expect(targetOf(byPath(`/port/3000/${rest}`), sandbox, refuse)).toEqual({
          path: `/${rest}`,
          port: 3000,
          prefix: '/main/sandboxes/s/port/3000',
        });
        expect(targetOf(byHost(`/port/3000?${rest}`), sandbox, refuse)).toEqual({
          path: `/?${rest}`,
          port: 3000,
          prefix: '/port/3000',
        });
      }),
    );
  });

  test('is the API with an unchanged path, unless the path is reserved for the runner', () => {
    fc.assert(
      fc.property(visible, (rest) => {
        fc.pre(!/^(port\/|terminal|\/*control)/i.test(rest));
        const path = `/${rest}`;
        expect(targetOf(byHost(path), sandbox, refuse)).toEqual({ path, port: undefined, prefix: undefined });
      }),
    );
  });

  test('no port is reached that is neither declared nor allowed, and a reserved one never', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom('refuse', 'allow'), (port, undeclaredPorts) => {
        const isReserved = [80, 443, 8080].includes(port);
        const mayPass = !isReserved && (undeclaredPorts === 'allow' || port === 3000);
        const ask = () => targetOf(byHost(`/port/${port}`), sandbox, { undeclaredPorts });
        if (mayPass) expect(ask().port).toBe(port);
        else expect(ask).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
      }),
    );
  });
});

test('the target inside an agent or a function is the unchanged path', () => {
  const paths = ['/port/3000/x', '/control/v1', '/terminal?token=t'];
  for (const path of paths) {
    const route: Route = { by: 'path', workspace: 'main', kind: 'agent', name: 'a', path };
    expect(targetOf(route, { kind: 'agent', ports: [] }, refuse)).toEqual({ path, port: undefined, prefix: undefined });
  }
});
