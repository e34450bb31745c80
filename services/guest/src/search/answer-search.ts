import { once } from 'node:events';
import { type Call, whenCallerLeaves } from '../http/call.ts';
import { runSearch } from './run-search.ts';
import type { SearchJob } from './search-job.ts';

/** Sends matches as they are found: however many there are, only a few batches are in memory. */
export async function answerSearch(call: Call, job: SearchJob, fields: object = {}): Promise<void> {
  const { response } = call;
  const head = { 'content-type': 'application/json; charset=utf-8' };
  if (call.headOnly) {
    response.writeHead(200, head).end();
    return;
  }
  const left = whenCallerLeaves(call);
  const first = JSON.stringify({ ...fields, matches: [] }).slice(0, -2);
  let total = 0;
  let isTruncated = false;
  try {
    for await (const { json, count, truncated } of runSearch(job, left)) {
      // Headers are sent with the first batch, so that an earlier failure can still set its own status.
      if (!response.headersSent) response.writeHead(200, head).write(first);
      if (count > 0) {
        if (total > 0) response.write(',');
        if (!response.write(json)) await once(response, 'drain', { signal: left });
      }
      total += count;
      isTruncated = truncated;
    }
  } catch (error) {
    if (left.aborted) return;
    throw error;
  }
  response.end(`],${JSON.stringify({ total, ...(isTruncated ? { truncated: true } : {}) }).slice(1)}`);
}
