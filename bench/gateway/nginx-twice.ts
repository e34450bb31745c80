// The reference: nginx before nginx before the container, one process each, with keep-alive connections. It
// writes no log and checks no key.
import { join } from 'node:path';
import type { Machine } from '../../engines/fleet/machine.ts';
import { passOn, startNginx } from './nginx.ts';

export interface NginxTwice extends AsyncDisposable {
  readonly url: string;
  readonly pids: readonly number[];
}

const ports = { near: 18_081, far: 18_082 };

export async function startNginxTwice({ netns }: Machine, folder: string, container: string): Promise<NginxTwice> {
  await using made = new AsyncDisposableStack();
  const hop = async (name: 'near' | 'far', upstream: string) =>
    made.use(
      await startNginx({ folder: join(folder, `nginx-${name}`), port: ports[name], location: passOn, upstream, netns }),
    );
  const far = await hop('far', container);
  const near = await hop('near', `127.0.0.1:${ports.far}`);
  const kept = made.move();
  return {
    url: `http://127.0.0.1:${ports.near}`,
    pids: [near.pid, far.pid],
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
