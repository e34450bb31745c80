// The two keys that an installation adds to the settings of the operator's Docker Engine. Both apply on a reload, without a restart.
import { z } from 'zod';
import { Fault } from '../machine/fault.ts';
import type { dockerKeys } from './install-record.ts';

export type DockerKey = (typeof dockerKeys)[number];

export interface DockerChange {
  readonly text: string;
  readonly added: readonly DockerKey[];
}

const Settings = z.looseObject({
  'live-restore': z.boolean().optional(),
  runtimes: z.record(z.string(), z.unknown()).optional(),
});

/** `text` is undefined where there is no file. Values that the operator has set stay. */
export function addDockerKeys(text: string | undefined, path: string, runscPath: string): DockerChange {
  const settings = parseSettings(text, path);
  const added: DockerKey[] = [];
  if (settings['live-restore'] === undefined) added.push('live-restore');
  if (settings.runtimes?.runsc === undefined) added.push('runtimes.runsc');
  if (added.length === 0) return { text: text ?? '', added };
  const next = {
    ...settings,
    'live-restore': settings['live-restore'] ?? true,
    runtimes: { runsc: runscRuntime(runscPath), ...settings.runtimes },
  };
  return { text: format(next), added };
}

/** Undefined when nothing is left of a file that the installation made. */
export function removeDockerKeys(
  text: string,
  path: string,
  { madeFile, added }: { readonly madeFile: boolean; readonly added: readonly DockerKey[] },
): string | undefined {
  const { 'live-restore': liveRestore, runtimes, ...others } = parseSettings(text, path);
  const { runsc, ...otherRuntimes } = runtimes ?? {};
  const keptRuntimes = added.includes('runtimes.runsc') ? otherRuntimes : (runtimes ?? {});
  const left = {
    ...others,
    ...(liveRestore === undefined || added.includes('live-restore') ? {} : { 'live-restore': liveRestore }),
    ...(Object.keys(keptRuntimes).length === 0 ? {} : { runtimes: keptRuntimes }),
  };
  return madeFile && Object.keys(left).length === 0 ? undefined : format(left);
}

/** Lines of `after` that `before` has not, with a plus; and the reverse. */
export function difference(before: string, after: string): string[] {
  const [old, next] = [before, after].map((text) => text.split('\n').filter((line) => line.trim() !== ''));
  return [
    ...(old ?? []).filter((line) => !next?.includes(line)).map((line) => `- ${line}`),
    ...(next ?? []).filter((line) => !old?.includes(line)).map((line) => `+ ${line}`),
  ];
}

const runscRuntime = (path: string) => ({
  path,
  runtimeArgs: ['--platform=systrap', '--network=sandbox', '--overlay2=root:self,size=10g'],
});

const format = (settings: object): string => `${JSON.stringify(settings, null, 2)}\n`;

function parseSettings(text: string | undefined, path: string): z.infer<typeof Settings> {
  if (text === undefined || text.trim() === '') return {};
  try {
    return Settings.parse(JSON.parse(text));
  } catch (cause) {
    throw new Fault(
      `${path} is not valid JSON with the settings of Docker.`,
      `correct ${path}, then run the same command again`,
      {
        cause,
      },
    );
  }
}
