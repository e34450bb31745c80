// The usual work of the other account: it creates small resources, deploys agents and calls a running agent.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { agent } from '../../tests/harness/workloads.ts';
import { timedMs } from '../support/statistics.ts';
import type { HttpSender } from './http-sender.ts';

export const deeds = ['create', 'deploy', 'call'] as const;
export type Times = Readonly<Record<(typeof deeds)[number], number[]>> & { readonly failures: string[] };

export interface VictimPlace {
  readonly sender: HttpSender;
  readonly apiUrl: string;
  /** URL of a running agent. */
  readonly callUrl: string;
}

/** Far below the machine's capacity, so that the quiet phase is quiet. */
const pauseMs = { create: 250, call: 50, deploy: 1_500 };
const AgentStatus = z.object({ status: z.string() });

export class Victim {
  readonly #place: VictimPlace;
  #count = 0;

  constructor(place: VictimPlace) {
    this.#place = place;
  }

  async measure(seconds: number): Promise<Times> {
    const times: Times = { create: [], deploy: [], call: [], failures: [] };
    const endAt = performance.now() + seconds * 1_000;
    await Promise.all([
      this.#paced('create', times, endAt, () => this.#create()),
      this.#paced('call', times, endAt, () => this.#send('GET', this.#place.callUrl)),
      this.#deployUntil(times, endAt),
    ]);
    return times;
  }

  /** Sends at a fixed rate without waiting for answers: a slow answer must not hide the wait of the next request. */
  async #paced(deed: 'create' | 'call', times: Times, endAt: number, work: () => Promise<unknown>): Promise<void> {
    const open: Promise<void>[] = [];
    while (performance.now() < endAt) {
      open.push(timed(times, deed, work));
      await sleep(pauseMs[deed]);
    }
    await Promise.all(open);
  }

  async #deployUntil(times: Times, endAt: number): Promise<void> {
    while (performance.now() < endAt) {
      const name = this.#newName();
      await timed(times, 'deploy', () => this.#deploy(name));
      await this.#send('DELETE', `${this.#place.apiUrl}/agents/${name}`).catch(() => {});
      await sleep(pauseMs.deploy);
    }
  }

  #create(): Promise<string> {
    return this.#send('POST', `${this.#place.apiUrl}/drives`, { metadata: { name: this.#newName() }, spec: {} });
  }

  async #deploy(name: string): Promise<void> {
    const { apiUrl } = this.#place;
    await this.#send('POST', `${apiUrl}/agents`, agent(name, { generation: 'mk2' }));
    for (let attempt = 0; attempt < 3_000; attempt += 1) {
      const { status } = AgentStatus.parse(JSON.parse(await this.#send('GET', `${apiUrl}/agents/${name}`)));
      if (status === 'DEPLOYED') return;
      await sleep(20);
    }
    throw new Error(`${name} was not deployed within a minute`);
  }

  #newName(): string {
    this.#count += 1;
    return `victim-${this.#count}`;
  }

  async #send(method: string, url: string, body?: object): Promise<string> {
    const answer = await this.#place.sender.send(method, url, body && JSON.stringify(body));
    if (answer.status === 200) return answer.body;
    throw new Error(`${method} ${url} answered ${answer.status}: ${answer.body.slice(0, 300)}`);
  }
}

async function timed(times: Times, deed: (typeof deeds)[number], work: () => Promise<unknown>): Promise<void> {
  try {
    times[deed].push(await timedMs(work));
  } catch (error) {
    times.failures.push(String(error));
  }
}
