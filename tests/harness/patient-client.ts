// A client that repeats a request only when it is safe: nothing accepted the connection, it ended before a byte of
// the answer, or the platform reports that the request was not dispatched. Any other outcome is returned unchanged.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Sent, type Tried, tryOnce } from './try-once.ts';

export class PatientClient {
  /** Number of repeated requests, by reason. */
  readonly retries = { refused: 0, reset: 0, notDispatched: 0 };
  readonly #urls: readonly string[];
  readonly #agent: Agent;
  #next = 0;

  constructor(urls: readonly string[], agent = new Agent({ keepAlive: true })) {
    this.#urls = urls;
    this.#agent = agent;
  }

  /** Returns the outcome of the last try within the limit. */
  async send(sent: Sent, limitMs: number): Promise<Tried> {
    const deadline = Date.now() + limitMs;
    this.#next += 1;
    for (let at = this.#next; ; at += 1) {
      const url = this.#urls[at % this.#urls.length] ?? '';
      const tried = await tryOnce(this.#agent, url, sent, Math.max(1, deadline - Date.now()));
      const reason = reasonToRetry(tried);
      if (reason === undefined || Date.now() >= deadline) return tried;
      this.retries[reason] += 1;
      await sleep(reason === 'notDispatched' ? 200 : 20);
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

function reasonToRetry(tried: Tried): 'refused' | 'reset' | 'notDispatched' | undefined {
  if (tried.end === 'refused' || tried.end === 'reset') return tried.end;
  if (tried.end !== 'answer') return undefined;
  const isUnsent =
    tried.headers['x-service-source'] === 'platform' && tried.headers['x-service-dispatch-state'] === 'not_dispatched';
  return isUnsent ? 'notDispatched' : undefined;
}
