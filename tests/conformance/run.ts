// pnpm conformance [--brand <Long>:<short>]: runs the conformance tests, compares them with the list of statements, and
// prints what is proven, what waits and what is wrong.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Brand, operations, pendingOperations } from '@berth/contract';
import { environment } from '@berth/telemetry';
import { findFaults } from './list/find-faults.ts';
import { interfaceFaults, ofInterface, readOperations } from './list/interface.ts';
import { renderCounts, renderSummary } from './list/render-summary.ts';
import { readStatements } from './list/statements.ts';
import { type RunResult, readTestResults } from './list/test-results.ts';

const beside = (file: string) => readFile(join(import.meta.dirname, file), 'utf8');

function readBrand(): Record<string, string> {
  const { values } = parseArgs({ options: { brand: { type: 'string' } } });
  if (values.brand === undefined) return {};
  const [long, short] = values.brand.split(':');
  const brand = Brand.parse({ long, short });
  return { BERTH_TEST_BRAND: `${brand.long}:${brand.short}` };
}

async function runTests(env: Record<string, string>): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-conformance-'));
  const report = join(folder, 'report.json');
  const reporting = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  await new Promise((resolve, reject) => {
    const args = ['exec', 'vitest', 'run', '--project', 'conformance', ...reporting];
    const child = spawn('pnpm', args, { env: { ...environment, ...env }, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('close', resolve);
  });
  try {
    return readTestResults(await readFile(report, 'utf8'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const statements = readStatements(await beside('statements.yaml'));
const listed = readOperations(await beside('operations.yaml'));
const result = await runTests(readBrand());
const wanted = ofInterface(listed).length;
const additions = listed.length - wanted;
const faults = [...findFaults(statements, result), ...interfaceFaults(listed, operations, pendingOperations)];
const passed = result.tests.filter(({ status }) => status === 'passed').length;

console.log(`\n${renderSummary(statements)}\n`);
console.log(
  `${wanted} operations: ${operations.length - additions} served, ${pendingOperations.length} wait for what they stand on; ${additions} of our own beside them\n`,
);
if (faults.length > 0) console.log(`wrong\n${faults.map((fault) => `  ${fault}`).join('\n')}\n`);
if (faults.length > 0) process.exitCode = 1;
console.log(renderCounts(statements));
console.log(`${passed} passed, ${result.tests.length - passed} failed`);
