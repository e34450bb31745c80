import { posix } from 'node:path';
import type { FindMatch } from '@berth/contract/guest';
import { compileGlob } from './glob.ts';
import { fromLatin } from './latin-path.ts';
import type { MatchSink } from './match-sink.ts';
import type { FindJob } from './search-job.ts';
import { walkTree } from './walk-tree.ts';

/** Everything that is not a folder counts as a file, links too. The root counts as one of its folders, as `.`. */
export function searchNames(job: FindJob, sink: MatchSink): void {
  const globs = job.patterns.map(compileGlob);
  const fits = (name: string) => globs.length === 0 || globs.some((glob) => glob(name));
  const isWanted = job.type === 'directory';
  if (isWanted && fits(posix.basename(job.root)) && !sink.add(matchOf('.', job.type))) return;
  for (const { path, name, kind } of walkTree(job)) {
    sink.tick();
    if ((kind === 'directory') !== isWanted || !fits(fromLatin(name))) continue;
    if (!sink.add(matchOf(fromLatin(path), job.type))) return;
  }
}

const matchOf = (path: string, type: FindMatch['type']): FindMatch => ({ path, type });
