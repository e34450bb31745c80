// A machine with sandboxes whose runner meters them, or not.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IsolationClass } from '@berth/contract/node';
import { SandboxMachine } from '../../tests/harness/sandbox-machine.ts';
import { until } from '../../tests/harness/until.ts';
import { cpuTimeUs } from '../gateway/cpu-time.ts';

const switchFile = join(import.meta.dirname, '../../services/runner/test/metering-switch.ts');

export class MeteredMachine implements AsyncDisposable {
  readonly sandboxes: SandboxMachine;
  #isOn = true;
  #switched = 0;

  private constructor(sandboxes: SandboxMachine) {
    this.sandboxes = sandboxes;
  }

  /** Nothing on it falls asleep by itself, and it may hold more memory than it has. */
  static async start(isolation: IsolationClass): Promise<MeteredMachine> {
    const settings = {
      NODE_OPTIONS: `--import=${switchFile}`,
      BERTH_PLACEMENT_SANDBOXES_IDLE_SECONDS: '3600',
      BERTH_PLACEMENT_SANDBOXES_OVERCOMMIT: '64',
    };
    return new MeteredMachine(await SandboxMachine.start({ name: `meter-${isolation}`, isolation, pool: 0, settings }));
  }

  /**
   * Resolves once the runner says that it has done so, with the CPU time that its metering took since the last change, in
   * microseconds; undefined when nothing changed.
   */
  async setMetering(isOn: boolean): Promise<number | undefined> {
    if (this.#isOn === isOn) return undefined;
    const { fleet, machine } = this.sandboxes;
    process.kill(machine.runner.pid, 'SIGUSR2');
    this.#isOn = isOn;
    this.#switched += 1;
    const log = join(fleet.folder, `runner-${machine.name}.log`);
    const changes = async () => [...(await readFile(log, 'utf8')).matchAll(/^metering o\w+ after (\d+) µs$/gm)];
    await until(async () => (await changes()).length >= this.#switched);
    return Number((await changes())[this.#switched - 1]?.[1]);
  }

  /** CPU time so far of the processes that store and close usage, by name. */
  cpuUs(): Readonly<Record<'api' | 'orchestrator' | 'PostgreSQL' | 'ClickHouse', number>> {
    const { fleet } = this.sandboxes;
    return {
      api: cpuTimeUs([fleet.api.pid]),
      orchestrator: cpuTimeUs([fleet.orchestrator.pid]),
      PostgreSQL: cpuTimeUs([fleet.postgres.pid()]),
      ClickHouse: cpuTimeUs([fleet.clickhouse.pid()]),
    };
  }

  /** Number of stored intervals of the sandbox. */
  async intervalsOf(name: string): Promise<number> {
    const query = 'SELECT uniqExact(source, interval) FROM usage_intervals WHERE resource_name = {name:String}';
    const url = new URL(this.sandboxes.fleet.clickhouse.url);
    url.searchParams.set('param_name', name);
    const answer = await fetch(url, { method: 'POST', body: query });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`ClickHouse answered ${answer.status}: ${text}`);
    return Number(text);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.sandboxes[Symbol.asyncDispose]();
  }
}
