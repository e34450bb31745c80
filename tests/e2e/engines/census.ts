// Everything that one engine run has on this machine, found by other means than the sweep uses. Other runs start and
// end meanwhile.
import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dockerFolder } from '../../../engines/docker-config.ts';
import { linksOfRun } from '../../../engines/run.ts';

export type Census = {
  readonly processes: string[];
  readonly containers: string[];
  readonly mounts: string[];
  readonly loopDevices: string[];
  readonly namespaces: string[];
  readonly links: string[];
  readonly cgroups: string[];
};

/** `engines`: data folders of the run's Docker Engines, still needed once the folder of the run is gone. */
export function censusOf(mark: string, folder: string, engines: readonly string[]): Census {
  const names = [`berth-${mark}-*`, ...engines.map((path) => dockerFolder(path).cgroup)];
  const cgroups = names.flatMap((name) => globSync(`/sys/fs/cgroup/{*/,}${name}`));
  return {
    processes: processesWith(`ENGINES_RUN=${mark}`),
    containers: [...new Set(cgroups.flatMap(processesIn))],
    mounts: linesWith(readFileSync('/proc/self/mounts', 'utf8'), folder),
    loopDevices: linesWith(tell('losetup', '--list', '--noheadings', '--output', 'NAME,BACK-FILE'), folder),
    namespaces: linesWith(tell('ip', 'netns', 'list'), mark),
    links: linesWith(tell('ip', '-brief', 'link'), linksOfRun(mark)),
    cgroups,
  };
}

/** Data folders of a run's Docker Engines. */
export const enginesOf = (folder: string): string[] =>
  globSync('docker-*/daemon.json', { cwd: folder }).map((path) => join(folder, dirname(path)));

function processesWith(variable: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && read(`/proc/${pid}/environ`).includes(variable));
}

const processesIn = (cgroup: string): string[] =>
  globSync(`${cgroup}/**/cgroup.procs`).flatMap((file) => read(file).split('\n').filter(Boolean));

const linesWith = (text: string, part: string): string[] => text.split('\n').filter((line) => line.includes(part));

const tell = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' });

/** Empty when the process or the cgroup has ended in the meantime. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
