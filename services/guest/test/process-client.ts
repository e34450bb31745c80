import type { ProcessRequest, ProcessResponse } from '@berth/contract/guest';

export type Answer<Body> = { status: number; body: Body };

/** Calls the process routes of one guest. */
export class ProcessClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async call<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      signal: AbortSignal.timeout(50_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  start(wish: ProcessRequest) {
    return this.call<ProcessResponse & { error?: string }>('POST', '/process', wish);
  }

  run(command: string, wish: Partial<ProcessRequest> = {}) {
    return this.start({ command, waitForCompletion: true, ...wish });
  }

  get(identifier: string) {
    return this.call<ProcessResponse & { error?: string }>('GET', `/process/${identifier}`);
  }

  logs(identifier: string, query = '') {
    return this.call<{ stdout: string; stderr: string; logs: string }>('GET', `/process/${identifier}/logs${query}`);
  }

  stop(identifier: string, query = '') {
    return this.call<{ message?: string; error?: string }>('DELETE', `/process/${identifier}${query}`);
  }

  kill(identifier: string) {
    return this.call<{ message?: string; error?: string }>('DELETE', `/process/${identifier}/kill`);
  }

  /** Polls until the condition holds, because a process changes at any time. */
  async until(identifier: string, isSo: (process: ProcessResponse) => boolean): Promise<ProcessResponse> {
    const deadline = Date.now() + 45_000;
    for (;;) {
      const { body } = await this.get(identifier);
      if (isSo(body)) return body;
      if (Date.now() > deadline) throw new Error(`It never came so far: ${JSON.stringify(body)}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  ended(identifier: string): Promise<ProcessResponse> {
    return this.until(identifier, ({ completedAt }) => completedAt !== '' && completedAt !== null);
  }

  stream(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, init);
  }
}
