import { readFileSync } from 'node:fs';
import { defaultBrand, openApiDocument } from '@berth/contract';
import { expect, test } from 'vitest';
import { generatedFiles } from './generated-files.ts';

const url = 'https://api.example';
const document = openApiDocument({ brand: defaultBrand, baseUrl: url, apiUrl: url, gatewayUrl: url });
const types = 'clients/typescript/src/generated/management.ts';

test('the files of the repository are those of the contract', () => {
  for (const [path, text] of Object.entries(generatedFiles()))
    expect(readFileSync(path, 'utf8') === text, path).toBe(true);
});

test('a field that the contract gains is a field of the clients', () => {
  const { Agent } = document.components.schemas ?? {};
  const planted = structuredClone(document);
  Object.assign(planted.components.schemas?.Agent?.properties ?? {}, { planted: { type: 'string' } });
  expect(Agent?.properties).not.toHaveProperty('planted');
  expect(generatedFiles(planted)[types]).toContain('  planted?: string | undefined;\n');
  expect(generatedFiles(document)[types]).toBe(generatedFiles()[types]);
});

test('every operation can be called', () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const text = generatedFiles()['clients/typescript/src/generated/operations.ts'] ?? '';
  for (const { operationId } of operations) {
    expect(text).toContain(`  ${operationId}: { method: '`);
    expect(text).toContain(`  ${operationId}: {\n    given: `);
  }
});

test('no generated name ends in a digit', () => {
  for (const [path, text] of Object.entries(generatedFiles()))
    expect([...text.matchAll(/^export (?:interface|type) (\w+\d)\b/gm)].map(([, name]) => `${path}: ${name}`)).toEqual(
      [],
    );
});
