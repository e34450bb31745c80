import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { GuestLog, sanitised, withoutSecrets } from './log.ts';

const caller = { requestId: 'r1', subjectId: 'me\n{"source":"audit"}', subjectType: 'user', authMethod: 'key' };

describe('R-54 secrets', () => {
  it.each([
    'token',
    'service_preview_token',
    'api_key',
    'APIKEY',
    'password',
    'signature',
    'to%6ben',
    '%74oken',
    'a%zz',
  ])('the value of the query %s is not logged', (name) => {
    expect(withoutSecrets(`/terminal?cols=80&${name}=hunter2&rows=24`)).toBe(
      `/terminal?cols=80&${name}=redacted&rows=24`,
    );
  });

  it('a path without a query and harmless values are logged unchanged', () => {
    expect(withoutSecrets('/process')).toBe('/process');
    expect(withoutSecrets('/filesystem-find/src?patterns=*.ts')).toBe('/filesystem-find/src?patterns=*.ts');
  });

  it('the value of a token is never logged, whatever surrounds it', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), fc.webQueryParameters(), (before, after) => {
        expect(withoutSecrets(`/x?${before}&token=hunter2secret&${after}`)).not.toContain('hunter2secret');
      }),
      { numRuns: 50 },
    );
  });
});

describe('audit', () => {
  it('a value cannot start a second line or make a line long', () => {
    expect(sanitised('a\nb"c')).toBe('a\\nb\\"c');
    expect(sanitised('x'.repeat(100_000)).length).toBeLessThan(5_000);
  });

  it('an audit event names the action, the caller and the request', () => {
    const log = new GuestLog();
    const line = vi.spyOn(log, 'line');
    log.audit('process_exec', caller, { command: 'echo "a"\nrm -rf /', pid: 7 });
    expect(line).toHaveBeenCalledWith('audit', {
      action: 'process_exec',
      'sub-id': 'me\\n{\\"source\\":\\"audit\\"}',
      'sub-type': 'user',
      'auth-method': 'key',
      rid: 'r1',
      command: 'echo \\"a\\"\\nrm -rf /',
      pid: 7,
    });
  });
});
