import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type ClientOrder, ClientReport } from './client-messages.ts';

const program = fileURLToPath(new URL('./client.ts', import.meta.url));

/** Several processes of readers that receive the same order at the same time. */
export class Clients implements Disposable {
  readonly #children: ChildProcess[];

  constructor(processes: number) {
    this.#children = Array.from({ length: processes }, () => fork(program));
  }

  /** Each process opens its share. */
  open(order: Omit<Extract<ClientOrder, { do: 'open' }>, 'do'>): Promise<ClientReport> {
    const [count, atATime] = [order.count, order.atATime].map((all) => Math.ceil(all / this.#children.length));
    return this.#tell({ do: 'open', ...order, count: count ?? 0, atATime: atATime ?? 1 });
  }

  count(): Promise<ClientReport> {
    return this.#tell({ do: 'count' });
  }

  leave(): Promise<ClientReport> {
    return this.#tell({ do: 'leave' });
  }

  async #tell(order: ClientOrder): Promise<ClientReport> {
    const reports = await Promise.all(
      this.#children.map(async (child) => {
        const answered = once(child, 'message');
        child.send(order);
        return ClientReport.parse((await answered)[0]);
      }),
    );
    return {
      open: reports.reduce((sum, { open }) => sum + open, 0),
      broken: reports.reduce((sum, { broken }) => sum + broken, 0),
      fewestEvents: Math.min(...reports.map(({ fewestEvents }) => fewestEvents)),
    };
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill();
  }
}
