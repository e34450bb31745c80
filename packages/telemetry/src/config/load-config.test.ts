import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';
import { type ConfigSources, loadConfig } from './load-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'berth-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(text: string): string {
  const file = join(mkdtempSync(join(folder, 'f-')), 'berth.yaml');
  writeFileSync(file, text);
  return file;
}

const schema = z.object({
  api: z.object({
    port: z.int().min(1).max(65_535).default(8080),
    publicUrl: z.url(),
    corsOrigins: z.array(z.string()).default([]),
    debug: z.boolean().default(false),
  }),
  secrets: z.object({ masterKey: z.string().min(16) }).optional(),
  limits: z.record(z.string(), z.number()).default({}),
});

const minimal = 'api:\n  publicUrl: https://berth.example\n';

function problemsOf(sources: ConfigSources) {
  try {
    loadConfig(schema, sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('The configuration was accepted.');
}

describe('values', () => {
  test('come from the file, with the defaults of the schema', () => {
    expect(loadConfig(schema, { file: fileWith(minimal), env: {} })).toEqual({
      api: { port: 8080, publicUrl: 'https://berth.example', corsOrigins: [], debug: false },
      limits: {},
    });
  });

  test('of a variable win over the file, in the type the schema asks for', () => {
    const env = {
      BERTH_API_PORT: '9000',
      BERTH_API_PUBLIC_URL: 'https://other.example',
      BERTH_API_CORS_ORIGINS: '["https://a.example", "https://b.example"]',
      BERTH_API_DEBUG: 'true',
      BERTH_LIMITS: '{sandboxes: 20}',
    };
    expect(loadConfig(schema, { file: fileWith(minimal), env })).toEqual({
      api: {
        port: 9000,
        publicUrl: 'https://other.example',
        corsOrigins: ['https://a.example', 'https://b.example'],
        debug: true,
      },
      limits: { sandboxes: 20 },
    });
  });

  test('of a section variable are overridden by the variable of one key', () => {
    const env = { BERTH_API: '{publicUrl: "https://x.example", port: 1}', BERTH_API_PORT: '2' };
    expect(loadConfig(schema, { env }).api).toMatchObject({ publicUrl: 'https://x.example', port: 2 });
  });

  test('of a text setting stay text, even when they look like a number', () => {
    const env = { BERTH_SECRETS_MASTER_KEY: '1234567890123456' };
    expect(loadConfig(schema, { file: fileWith(minimal), env }).secrets?.masterKey).toBe('1234567890123456');
  });

  test('come from the file that a _FILE variable names, without its last line break', () => {
    const env = { BERTH_SECRETS_MASTER_KEY_FILE: fileWith('0123456789abcdef\n') };
    expect(loadConfig(schema, { file: fileWith(minimal), env }).secrets?.masterKey).toBe('0123456789abcdef');
  });

  test('of another program in the same file and environment are left alone', () => {
    const alsoKnown = z.object({ gateway: z.object({ port: z.number() }) });
    const file = fileWith(`${minimal}gateway:\n  port: not-a-number\n`);
    const config = loadConfig(schema, { file, env: { BERTH_GATEWAY_PORT: 'x' }, alsoKnown });
    expect(config).not.toHaveProperty('gateway');
  });

  test('that steer the test suite are not settings', () => {
    expect(() => loadConfig(schema, { file: fileWith(minimal), env: { BERTH_TEST_POSTGRES: '15' } })).not.toThrow();
  });
});

describe('the start stops, naming key, reason and next step,', () => {
  test('on an unknown variable', () => {
    expect(problemsOf({ file: fileWith(minimal), env: { BERTH_API_PROT: '1' } })).toEqual([
      { key: 'BERTH_API_PROT', reason: 'there is no such setting.', next: 'Did you mean BERTH_API_PORT?' },
    ]);
  });

  test('on an unknown key at any depth', () => {
    const file = fileWith(`${minimal}  prt: 1\nelsewhere: 1\n`);
    expect(problemsOf({ file, env: {} })).toEqual([
      { key: 'api.prt', reason: 'there is no such setting.', next: 'Did you mean api.port?' },
      { key: 'elsewhere', reason: 'there is no such setting.', next: 'Remove it from the file.' },
    ]);
  });

  test('on a value out of range', () => {
    const file = fileWith(minimal);
    const [problem] = problemsOf({ file, env: { BERTH_API_PORT: '70000' } });
    expect(problem).toMatchObject({ key: 'api.port', next: `Set it in ${file} or in BERTH_API_PORT.` });
    expect(problem?.reason).toMatch(/65535/);
  });

  test('on a missing value', () => {
    expect(problemsOf({ env: {} })).toEqual([
      { key: 'api.publicUrl', reason: 'it is missing.', next: 'Set it in BERTH_API_PUBLIC_URL.' },
    ]);
  });

  test('on a missing section inside an optional one only when that one is there', () => {
    const nested = z.object({ tls: z.object({ key: z.object({ path: z.string() }) }).optional() });
    expect(loadConfig(nested, { env: {} })).toEqual({});
    expect(() => loadConfig(nested, { env: { BERTH_TLS: '{}' } })).toThrow('tls.key');
  });

  test('on a value given twice', () => {
    const env = { BERTH_SECRETS_MASTER_KEY: 'a', BERTH_SECRETS_MASTER_KEY_FILE: 'b' };
    expect(problemsOf({ file: fileWith(minimal), env })[0]?.next).toBe('Keep one of the two.');
  });

  test('on a file that cannot be read', () => {
    expect(problemsOf({ file: '/nowhere/berth.yaml', env: {} })[0]?.reason).toContain('ENOENT');
    const env = { BERTH_SECRETS_MASTER_KEY_FILE: '/nowhere/key' };
    expect(problemsOf({ file: fileWith(minimal), env })[0]?.key).toBe('BERTH_SECRETS_MASTER_KEY_FILE');
  });

  test('on a file that is no mapping', () => {
    expect(problemsOf({ file: fileWith('- a\n'), env: {} })[0]?.reason).toBe('it holds no mapping.');
  });
});

describe('a message never repeats a secret', () => {
  test('when its value is invalid', () => {
    const env = { BERTH_SECRETS_MASTER_KEY: 'hunter2' };
    const problems = problemsOf({ file: fileWith(minimal), env });
    expect(problems[0]?.key).toBe('secrets.masterKey');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  test('when the file around it is not valid YAML', () => {
    const problems = problemsOf({ file: fileWith('secrets:\n  masterKey: "hunter2\n'), env: {} });
    expect(problems[0]?.reason).toMatch(/not valid YAML \(\w+ in line \d\)/);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

test('two settings never share a variable', () => {
  const clash = z.object({ apiKey: z.object({ id: z.string() }), api: z.object({ keyId: z.string() }) });
  expect(() => loadConfig(clash, { env: {} })).toThrow('api.keyId and apiKey.id share BERTH_API_KEY_ID');
});
