// Runs in its own thread: the walk is synchronous, which is several times faster, and blocks no request here. A search
// is ended by terminating the thread at any point.
import { parentPort } from 'node:worker_threads';
import { closestNames } from './closest-names.ts';
import { MatchSink } from './match-sink.ts';
import { rankPaths } from './rank-paths.ts';
import { searchContent } from './search-content.ts';
import type { SearchJob, WorkerOrder, WorkerReport } from './search-job.ts';
import { searchLines } from './search-lines.ts';
import { searchNames } from './search-names.ts';

parentPort?.on('message', ({ job, credit }: WorkerOrder) => {
  const post = (report: WorkerReport) => parentPort?.postMessage(report);
  const sink = new MatchSink(credit, job.maxResults, post);
  sink.end(search(job, sink));
});

/** True when matches were left out for another reason than `maxResults`. */
function search(job: SearchJob, sink: MatchSink): boolean {
  if (job.kind === 'fuzzy') return rankPaths(job, sink);
  if (job.kind === 'find') searchNames(job, sink);
  else if (job.kind === 'grep') searchLines(job, sink);
  else if (job.kind === 'closest') closestNames(job, sink);
  else searchContent(job, sink);
  return false;
}
