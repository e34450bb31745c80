// A separate program: each worker sends a request to the api as soon as its previous one was answered,
// until standard input ends. Then it prints the number of answers by status, and the first refusal of each
// kind. Arguments: JSON of `Load`.
import { setTimeout as sleep } from 'node:timers/promises';
import { Load, type LoadReport } from './api-load-messages.ts';
import { HttpSender } from './http-sender.ts';

/** Longest wait for requests that are under way at the stop. */
const graceMs = 3_000;

async function run({ apiUrl, caller, atATime, requests }: Load, report: LoadReport, stop: AbortSignal): Promise<void> {
  const sender = new HttpSender(caller);
  let sent = 0;
  const bodies = requests.map(({ body, taskBytes }) =>
    taskBytes === undefined ? body : JSON.stringify({ tasks: [{ blob: 'x'.repeat(taskBytes) }] }),
  );
  async function work(): Promise<void> {
    while (!stop.aborted) {
      const at = sent % requests.length;
      const { method = '', path = '' } = requests[at] ?? {};
      const number = String(sent);
      sent += 1;
      const answer = await sender.send(method, apiUrl + path.replace('#', number), bodies[at]?.replace('#', number));
      const sort = `${method} ${answer.status}`;
      report.statuses[sort] = (report.statuses[sort] ?? 0) + 1;
      if (answer.status >= 400) report.refusals[`${sort} ${path}`] ??= answer.body;
      // Honours retry-after; sending on would be a flood of requests, which is another bench.
      if (answer.status === 429)
        await sleep(Number(answer.headers['retry-after'] ?? 1) * 1_000, undefined, { signal: stop }).catch(() => {});
    }
  }
  const ended = Promise.withResolvers<void>();
  stop.addEventListener('abort', () => setTimeout(ended.resolve, graceMs));
  await Promise.race([Promise.all(Array.from({ length: atATime }, work)), ended.promise]);
}

const load = Load.parse(JSON.parse(process.argv[2] ?? ''));
const report: LoadReport = { statuses: {}, refusals: {} };
const stop = new AbortController();
process.stdin.resume().once('end', async () => {
  const latest = performance.now() + load.refusalWithinSeconds * 1_000;
  const isRefused = () => Object.keys(report.refusals).some((sort) => sort.includes(' 403 '));
  while (!isRefused() && performance.now() < latest) await sleep(100);
  stop.abort();
});
await run(load, report, stop.signal);
console.log(JSON.stringify(report));
process.exit(0);
