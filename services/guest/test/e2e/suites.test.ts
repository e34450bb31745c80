// Runs the tests of the guest's interface (services/guest/test) inside a container of each isolation class. The helper,
// the guest and the test share its kernel, so the results hold there. Each of these tests is reported here under its
// own name.
import { basename, resolve } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { describe, expect, test } from 'vitest';
import { importBaseImage } from '../../../../engines/base-image.ts';
import { callDocker } from '../../../../engines/docker-api.ts';
import { engineFolder } from '../../../../engines/folders.ts';
import { buildGuest } from '../../../../engines/guest/runtime.ts';
import { startTestDocker } from '../../../../engines/test-docker.ts';
import { demultiplexed } from '../../../../tests/harness/docker-output.ts';
import { guestCapabilities } from '../../../../tests/harness/guest-container.ts';
import { isFull, runtimesOf } from '../../../../tests/harness/size.ts';

const clone = resolve(import.meta.dirname, '../../../..');
const maxSeconds = 900;
const memoryBytes = 4096 * bytesPerMb;

type Result = { fullName: string; status: string; failureMessages: string[] };
type File = { name: string; message: string; startTime: number; endTime: number; assertionResults: Result[] };
type Report = { testResults: File[] };

const words = [
  ...['run', '--config', 'services/guest/test/e2e/suites.config.ts', '--configLoader', 'runner'],
  ...['--reporter=json', '--outputFile=/tmp/report.json'],
];
const script = `node node_modules/vitest/vitest.mjs ${words.join(' ')} > /tmp/log 2>&1; cat /tmp/report.json || cat /tmp/log`;

async function runSuites(docker: string, image: string, runtime: string): Promise<Report> {
  const guestFolder = await engineFolder('guest');
  const { body } = await callDocker(docker, 'POST /containers/create', {
    json: {
      Image: image,
      WorkingDir: clone,
      Entrypoint: ['sh', '-c', script],
      Env: ['HOME=/tmp', 'CI=1', 'NODE_COMPILE_CACHE=/tmp/compiled', `BERTH_TEST_FULL=${isFull ? 1 : 0}`],
      HostConfig: {
        Runtime: runtime,
        NetworkMode: 'suites',
        Init: true,
        Memory: memoryBytes,
        CapDrop: ['ALL'],
        CapAdd: guestCapabilities,
        SecurityOpt: ['no-new-privileges'],
        Binds: [`${clone}:${clone}:ro`, `${guestFolder}:${guestFolder}:ro`],
      },
    },
  });
  const { Id } = JSON.parse(body.toString());
  await callDocker(docker, `POST /containers/${Id}/start`);
  await callDocker(docker, `POST /containers/${Id}/wait`, { timeoutSeconds: maxSeconds });
  const logs = await callDocker(docker, `GET /containers/${Id}/logs?stdout=1&stderr=1`);
  await callDocker(docker, `DELETE /containers/${Id}?force=1`);
  const text = demultiplexed(logs.body);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The tests gave no report:\n${text.slice(-3_000)}`);
  }
}

const slowest = (files: readonly File[]) =>
  files
    .map(({ name, startTime, endTime }) => ({ name: basename(name), seconds: (endTime - startTime) / 1000 }))
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, 8)
    .map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`)
    .join(', ');

await buildGuest();
await using docker = await startTestDocker();
const [image = ''] = await importBaseImage(docker.url);
await callDocker(docker.url, 'POST /networks/create', {
  json: { Name: 'suites', Driver: 'bridge', CheckDuplicate: true },
});

// The small size runs under gVisor alone: outside this file the tests already run on the machine's own kernel.
for (const runtime of runtimesOf('runsc')) {
  const startedAt = Date.now();
  const { testResults } = await runSuites(docker.url, image, runtime);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`${runtime}: ${testResults.length} files in ${seconds} s; slowest: ${slowest(testResults)}`);
  describe(`inside a container of ${runtime}`, () => {
    for (const { name, message, assertionResults } of testResults) {
      describe(name.slice(clone.length + 1), () => {
        test('the file was loaded', () => expect(assertionResults.length === 0 ? message || 'no test' : '').toBe(''));
        for (const { fullName, status, failureMessages } of assertionResults) {
          if (status === 'skipped' || status === 'pending') test.skip(fullName);
          else test(fullName, () => expect(status, failureMessages.join('\n')).toBe('passed'));
        }
      });
    }
  });
}
