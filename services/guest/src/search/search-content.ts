import type { ContentSearchMatch } from '@berth/contract/guest';
import { byteText } from './byte-text.ts';
import { compileGlob } from './glob.ts';
import { fromLatin, toLatin } from './latin-path.ts';
import type { MatchSink } from './match-sink.ts';
import { searchFile } from './search-file.ts';
import type { ContentJob } from './search-job.ts';
import { walkTree } from './walk-tree.ts';

/** Searches regular files only: reading anything else may never end. */
export function searchContent(job: ContentJob, sink: MatchSink): void {
  const text = byteText(job.query, job.caseSensitive);
  const fits = job.filePattern === '' ? () => true : compileGlob(job.filePattern);
  const root = job.root === '/' ? '' : toLatin(job.root);
  let isFull = false;
  for (const { path, name, kind } of walkTree(job)) {
    sink.tick();
    if (kind !== 'file' || !fits(fromLatin(name))) continue;
    searchFile(`${root}/${path}`, text, job.contextLines, (hit) => {
      isFull = !sink.add({ path: fromLatin(path), ...hit } satisfies ContentSearchMatch);
      return !isFull;
    });
    if (isFull) return;
  }
}
