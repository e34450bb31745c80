// Proves that each check can fail: each runs on a tree that breaks its rules, one file per rule.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, type PlantedTree, plantTree } from './planted-tree.ts';

const layers = ['contract', 'telemetry', 'database', 'identity'].map((name) => `packages/${name}`);
const services = ['api', 'gateway', 'runner', 'server'].map((name) => `services/${name}`);

/** A test of the gateway reaches the api by a helper of the api; a test of the node protocol uses the runner's client. */
const permittedTests = {
  'services/api/src/inside.ts': 'export const inside = 1;\n',
  'services/runner/src/node/client.ts': 'export const client = 1;\n',
  'services/api/test/helper.ts': "import { inside } from '../src/inside.ts';\n\nexport const helper = () => inside;\n",
  'services/api/test/nodes/nodes.test.ts': testThatUses('client', '../../../runner/src/node/client.ts'),
  'services/gateway/test/gateway.test.ts': testThatUses('helper', '../../api/test/helper.ts'),
};

function testThatUses(name: string, path: string): string {
  const imports = `import { expect, test } from 'vitest';\nimport { ${name} } from '${path}';\n`;
  return `${imports}\ntest('${name}', () => {\n  expect(${name}).toBeDefined();\n});\n`;
}

describe.each(['typecheck', 'lint', 'boundaries', 'deadcode'])('%s', (script) => {
  test('passes on a tree that keeps the rules', async () => {
    const tree = plantTree([...layers, ...services]);
    tree.write(permittedTests);
    const { exitCode, output } = await tree.run(script);
    tree.remove();
    expect(output).not.toMatch(/no files|not found/i);
    expect(exitCode, output).toBe(0);
  });
});

/** Plants all files at once, runs the check once, and expects each file's rule in the output. */
function expectFailures(script: string, cases: Readonly<Record<string, { text: string; reports: RegExp }>>): void {
  let tree: PlantedTree;
  let result: { exitCode: number; output: string };
  beforeAll(async () => {
    tree = plantTree([...layers, ...services]);
    tree.write(Object.fromEntries(Object.entries(cases).map(([path, { text }]) => [path, text])));
    result = await tree.run(script);
  });
  afterAll(() => tree.remove());

  test('exits with an error', () => {
    expect(result.exitCode).not.toBe(0);
  });
  test.each(Object.entries(cases))('names %s', (_, { reports }) => {
    expect(result.output).toMatch(reports);
  });
}

const at = (file: string, rule: string) => new RegExp(`${file.replaceAll('.', '\\.')}[^\\n]*${rule}`);

describe('types', () => {
  const file = (name: string) => `packages/contract/src/${name}.ts`;
  const planted = (name: string, text: string, code: number) => ({
    [file(name)]: { text, reports: at(`${name}.ts`, `TS${code}`) },
  });
  expectFailures('typecheck', {
    ...planted('wrong-type', 'export const count: number = "one";\n', 2322),
    ...planted('maybe-null', 'export const size = (text: string | null) => text.length;\n', 18047),
    ...planted('unchecked-index', 'export const first = (list: string[]): string => list[0];\n', 2322),
    ...planted('not-erasable', 'export enum Colour {\n  Red,\n}\n', 1294),
    ...planted('undefined-given', 'export const given: { a?: string } = { a: undefined };\n', 2375),
    ...planted('type-as-value', "import { PathLike } from 'node:fs';\n\nexport type Path = PathLike;\n", 1484),
  });
});

describe('lint', () => {
  const planted = (name: string, text: string, rule: string) => ({
    [`packages/telemetry/src/${name}.ts`]: { text, reports: at(`${name}.ts`, rule) },
  });
  expectFailures('lint', {
    ...planted('uses-any', 'export const loose = (value: any) => value;\n', 'noExplicitAny'),
    ...planted('asserts-presence', 'export const sure = (text?: string) => text!.length;\n', 'noNonNullAssertion'),
    ...planted('asserts-type', 'export const cast = (value: unknown) => value as string;\n', 'plugin'),
    ...planted('reads-environment', 'export const home = process.env.HOME;\n', 'noProcessEnv'),
    ...planted('no-prefix', "export { join } from 'path';\n", 'useNodejsImportProtocol'),
    ...planted('barrel', "export * from './uses-any.ts';\n", 'noReExportAll'),
    ...planted(
      'forgets-promise',
      'async function work() {}\nexport function start() {\n  work();\n}\n',
      'noFloatingPromises',
    ),
    ...planted('camelName', 'export const named = 1;\n', 'useFilenamingConvention'),
    ...planted('badly-formatted', 'export   const spaced=1\n', 'format'),
  });
});

describe('boundaries', () => {
  const planted = (path: string, from: string, rule: string) => ({
    [path]: {
      text: `import * as other from '${from}';\n\nexport const use = other;\n`,
      reports: new RegExp(`${rule}: ${path}`),
    },
  });
  const ownSources = 'only-a-service-imports-its-own-sources';
  expectFailures('boundaries', {
    ...planted('packages/contract/src/up.ts', '@berth/telemetry', 'package-contract-imports-only-packages-above-it'),
    ...planted('packages/telemetry/src/up.ts', '@berth/database', 'package-telemetry-imports-only-packages-above-it'),
    ...planted('packages/database/src/up.ts', '@berth/identity', 'package-database-imports-only-packages-above-it'),
    ...planted('packages/contract/src/node.ts', 'node:fs', 'contract-runs-in-a-browser'),
    ...planted('packages/identity/src/service.ts', '@berth/api', 'packages-import-no-service'),
    ...planted(
      'services/runner/src/database.ts',
      '@berth/database',
      'runner-and-guest-import-only-what-needs-no-database',
    ),
    ...planted(
      'clients/typescript/src/service.ts',
      '../../../services/api/src/index.ts',
      'clients-import-only-contract-and-clients',
    ),
    ...planted('services/gateway/src/api.ts', '@berth/api', 'services-import-no-other-service'),
    ...planted('services/api/src/http/up.ts', '../kinds/new.ts', 'api-http-imports-only-folders-above-it'),
    ...planted('services/api/src/kinds/new.ts', '@berth/contract', 'api-has-a-folder-without-a-place-in-the-order'),
    ...planted(
      'services/gateway/src/inside.ts',
      '../../../packages/contract/src/node.ts',
      'a-package-is-entered-by-its-front-door',
    ),
    ...planted(
      'services/api/src/bench.ts',
      '../../../bench/run.test.ts',
      'nothing-imports-engines-scripts-tests-or-bench',
    ),
    ...planted(
      'services/api/src/script.ts',
      '../../../scripts/start.ts',
      'nothing-imports-engines-scripts-tests-or-bench',
    ),
    ...planted(
      'services/api/src/engine.ts',
      '../../../engines/start.ts',
      'nothing-imports-engines-scripts-tests-or-bench',
    ),
    ...planted('tests/e2e/script.ts', '../../scripts/start.ts', 'tests-and-engines-import-no-scripts'),
    ...planted('engines/script.ts', '../scripts/start.ts', 'tests-and-engines-import-no-scripts'),
    ...planted('engines/tests.ts', '../tests/conformance/run.ts', 'engines-and-scripts-import-no-tests'),
    ...planted('scripts/tests.ts', '../tests/conformance/run.ts', 'engines-and-scripts-import-no-tests'),
    ...planted('packages/identity/test/inside.ts', '../../../services/api/src/script.ts', ownSources),
    ...planted('services/gateway/test/inside.ts', '../../api/src/script.ts', ownSources),
    ...planted('services/api/test/nodes/inside.ts', '../../../gateway/src/inside.ts', ownSources),
    ...planted('tests/harness/inside.ts', '../../services/api/src/script.ts', ownSources),
    ...planted('engines/inside.ts', '../services/api/src/script.ts', ownSources),
    ...planted('scripts/inside.ts', '../services/api/src/script.ts', ownSources),
    ...planted('bench/inside.ts', '../services/api/src/script.ts', ownSources),
    ...planted('engines/helper.ts', '../services/gateway/test/inside.ts', 'engines-and-scripts-import-no-tests'),
    ...planted('services/gateway/src/helper.ts', '../test/inside.ts', 'nothing-imports-engines-scripts-tests-or-bench'),
    ...planted('services/api/src/one.ts', './two.ts', 'no-circular'),
    'services/api/src/two.ts': {
      text: "export { use } from './one.ts';\n",
      reports: /no-circular[^\n]*\n\s+services\/api\/src\/two\.ts/,
    },
    ...planted('services/api/src/gone.ts', './nowhere.ts', 'nothing-unresolvable'),
  });
});

describe('dead code', () => {
  expectFailures('deadcode', {
    'packages/contract/src/nobody-imports-me.ts': {
      text: 'export const lost = 1;\n',
      reports: /nobody-imports-me\.ts/,
    },
    'packages/telemetry/src/half-used.ts': {
      text: 'export const used = 1;\nexport const neverUsed = 2;\n',
      reports: /neverUsed\s+packages\/telemetry\/src\/half-used\.ts/,
    },
    'packages/telemetry/src/index.ts': {
      text: "import { z } from 'zod';\nimport { used } from './half-used.ts';\n\nexport const here = z.literal(used);\n",
      reports: /zod\s+packages\/telemetry\/src\/index\.ts/,
    },
    'packages/database/package.json': {
      text: json({
        name: '@berth/database',
        type: 'module',
        exports: { '.': './src/index.ts' },
        dependencies: { kysely: '1.0.0' },
      }),
      reports: /kysely\s+packages\/database\/package\.json/,
    },
  });
});
