// Looks at the containers of instances every 50 ms, through the engine and the kernel: a record of what ran and was not
// frozen, independent of what the runner says.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';

const lookMs = 50;

const Containers = z.array(z.object({ Id: z.string(), State: z.string(), Labels: z.record(z.string(), z.string()) }));
const Inspected = z.object({ State: z.object({ Pid: z.number() }) });

interface Look {
  readonly at: number;
  /** Instances whose container runs, as the engine says, and is not frozen. Its process may have just ended. */
  readonly running: ReadonlySet<string>;
  /** Those whose process is there, as the kernel says. */
  readonly alive: ReadonlySet<string>;
}

type Process = 'runs' | 'frozen' | 'ended';

export interface Awake {
  /** Time between two looks that both found the process of the instance. */
  readonly atLeastMs: number;
  /** Time between two looks of which one found its container running. */
  readonly atMostMs: number;
}

export class AwakeWatch implements AsyncDisposable {
  readonly #dockerUrl: string;
  readonly #looks: Look[] = [];
  readonly #pids = new Map<string, number>();
  readonly #watching: Promise<void>;
  #isStopping = false;

  constructor(dockerUrl: string) {
    this.#dockerUrl = dockerUrl;
    this.#watching = this.#watch();
  }

  /** Counts the time of these instances together, from `fromMs` to `toMs` of `performance.now()`. */
  of(instances: readonly string[], fromMs = 0, toMs = Number.POSITIVE_INFINITY): Awake {
    let [atLeastMs, atMostMs] = [0, 0];
    for (const [index, { at, running, alive }] of this.#looks.entries()) {
      const before = this.#looks[index - 1];
      if (before === undefined) continue;
      const ms = Math.max(0, Math.min(at, toMs) - Math.max(before.at, fromMs));
      for (const instance of instances) {
        if (before.alive.has(instance) && alive.has(instance)) atLeastMs += ms;
        if (before.running.has(instance) || running.has(instance)) atMostMs += ms;
      }
    }
    return { atLeastMs, atMostMs };
  }

  async #watch(): Promise<void> {
    while (!this.#isStopping) {
      const at = performance.now();
      const found = await this.#look();
      const ids = (process: Process) => found.filter((each) => each.process === process).map(({ id }) => id);
      const alive = new Set(ids('runs'));
      this.#looks.push({ at, alive, running: new Set([...alive, ...ids('ended')]) });
      await sleep(Math.max(0, lookMs - (performance.now() - at)));
    }
  }

  /** The containers of instances that run, as the engine says, and what the kernel says of their first process. */
  async #look(): Promise<{ id: string; process: Process }[]> {
    const { body } = await callDocker(this.#dockerUrl, 'GET /containers/json');
    const found = await Promise.all(
      Containers.parse(JSON.parse(body.toString())).map(async ({ Id, State, Labels }) => {
        const id = Labels['berth.instance'];
        return id === undefined || State !== 'running' ? [] : [{ id, process: await this.#processOf(Id) }];
      }),
    );
    return found.flat();
  }

  async #processOf(id: string): Promise<Process> {
    const pid = this.#pids.get(id) ?? (await this.#pidOf(id));
    this.#pids.set(id, pid);
    // gVisor's kernel is one process, which is stopped by a signal; runc's processes are frozen by their cgroup.
    const state = /^.*\) (\S)/s.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))?.[1];
    if (state === undefined || state === 'Z') return 'ended';
    return state === 'T' || (await isFrozen(pid)) ? 'frozen' : 'runs';
  }

  async #pidOf(id: string): Promise<number> {
    const { body } = await callDocker(this.#dockerUrl, `GET /containers/${id}/json`);
    return Inspected.parse(JSON.parse(body.toString())).State.Pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#watching;
  }
}

/** With cgroup v1 the freezer has a hierarchy of its own; with v2 the state is in the one group. */
async function isFrozen(pid: number): Promise<boolean> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  const path = /^\d+:freezer:(.*)$/m.exec(groups)?.[1];
  if (path !== undefined)
    return (await readFile(`/sys/fs/cgroup/freezer${path}/freezer.state`, 'utf8').catch(() => '')).trim() === 'FROZEN';
  const unified = /^0::(.*)$/m.exec(groups)?.[1];
  return /^frozen 1$/m.test(await readFile(`/sys/fs/cgroup${unified}/cgroup.events`, 'utf8').catch(() => ''));
}
