// Memory that a Node process holds after a full garbage collection, read over its inspector. Unlike resident memory
// it does not depend on when the collector last ran.
import { once } from 'node:events';

type Heap = { readonly usedSize: number; readonly backingStorageSize?: number };

/** Size in bytes. The process must run with `--inspect=127.0.0.1:<port>`. */
export async function heapSize(port: number): Promise<number> {
  const listed = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await listed.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  const ask = async (id: number, method: string): Promise<Heap> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [event] = await once(socket, 'message');
      const message = JSON.parse(event.data);
      if (message.id === id) return message.result;
    }
  };
  await ask(1, 'HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = await ask(2, 'Runtime.getHeapUsage');
  socket.close();
  return usedSize + backingStorageSize;
}
