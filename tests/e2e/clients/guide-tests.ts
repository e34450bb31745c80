// The programs and commands of the guides, run as they are printed. Only the names of sandbox, image and gateway differ:
// the deployment of the tests has no default image and several gateways, and both languages run side by side.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { pythonProgram } from '../../../engines/python.ts';
import { importTinyImage } from '../../../engines/tiny-image.ts';
import { isFull } from '../../harness/size.ts';
import type { SandboxFleet } from '../sandbox/sandbox-fleet.ts';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);

/** All blocks of a language, one after the other. */
async function blocksOf(guide: string, language: string): Promise<string> {
  const text = await readFile(resolve(root, 'docs/guides', guide), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .flatMap(([, found, block = '']) => (found === language ? [block] : []))
    .join('\n');
}

function replaced(text: string, from: string, to: string): string {
  expect(text.split(from), from).toHaveLength(2);
  return text.replace(from, to);
}

type FleetOf = () => SandboxFleet;

/** Runs a program to its end, and returns the lines that it prints. */
async function lines({ fleet }: SandboxFleet, program: string, words: readonly string[]): Promise<string[]> {
  const { stdout } = await run(program, words, {
    cwd: root,
    env: {
      PATH: `${resolve(process.execPath, '..')}:/usr/bin:/bin`,
      PYTHONPATH: resolve(root, 'clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      BERTH_URL: fleet.url,
      BERTH_KEY: fleet.key,
    },
  });
  return stdout.trimEnd().split('\n');
}

/** A language runs a program in its own way; the tests replace two texts in it. */
interface Language {
  readonly language: 'ts' | 'python';
  readonly words: (program: string) => Promise<[program: string, ...words: string[]]>;
  readonly client: (url: string) => [printed: string, used: string];
  readonly box: (image: string) => [printed: string, used: string];
}

const languages: readonly Language[] = [
  {
    language: 'ts',
    words: async (program) => [process.execPath, '--input-type=module-typescript', '--eval', program],
    client: (url) => ['new Berth()', `new Berth({ gatewayUrl: '${url}' })`],
    box: (image) => ["{ name: 'first',", `{ name: 'first-ts', image: '${image}',`],
  },
  {
    language: 'python',
    words: async (program) => [await pythonProgram('python'), '-c', program],
    client: (url) => ['Berth()', `Berth(gateway_url="${url}")`],
    box: (image) => ['create("first",', `create("first-py", image="${image}",`],
  },
];

export function guideTests(fleetOf: FleetOf): void {
  const gatewayUrl = (): string => fleetOf().fleet.gateways[0]?.url ?? '';

  async function runProgram({ words }: Language, text: string): Promise<string[]> {
    const [program, ...others] = await words(text);
    return lines(fleetOf(), program, others);
  }

  // Side by side: each mostly waits until its sandbox sleeps.
  test.concurrent.each(languages)('the first sandbox in $language does what the guide says', async (each) => {
    const text = await blocksOf('first-sandbox.md', each.language);
    const named = replaced(replaced(text, ...each.client(gatewayUrl())), ...each.box(fleetOf().image));
    const page = '<h1>Hello from a sandbox</h1>';
    expect(await runProgram(each, named)).toEqual([
      ...['DEPLOYED', '42 3', 'building', 'built'],
      ...[page, 'page.html', page],
      ...[expect.stringMatching(/^https?:\/\/\w+\.local\.preview\./), 'asleep', page],
    ]);
  });

  // The small size calls agents and runs the command line in their own tests.
  test.runIf(isFull)('an agent is deployed, called in both languages, shown and deleted', async () => {
    await importTinyImage(fleetOf().fleet.machines[0]?.dockerUrl ?? '');
    const guide = 'agent-in-five-minutes.md';
    const [deploy = '', get = '', logs = '', remove = ''] = (await blocksOf(guide, 'sh')).trim().split(/\n+/);
    const berth = async (line: string): Promise<string> => {
      const script = `berth() { node clients/cli/src/main.ts "$@"; }\n${line}`;
      return (await lines(fleetOf(), 'sh', ['-c', script])).join('\n');
    };
    expect(await berth(deploy)).toMatch(/hello[\s\S]*DEPLOYED/);
    for (const each of languages) {
      const program = replaced(await blocksOf(guide, each.language), ...each.client(gatewayUrl()));
      expect(await runProgram(each, program)).toEqual(['200 berth']);
    }
    expect(await berth(get)).toMatch(/hello[\s\S]*DEPLOYED/);
    // The image writes nothing.
    expect(await berth(logs)).toMatch(/^TIME +LINE$/);
    expect(await berth(remove)).toContain('hello');
  });
}
