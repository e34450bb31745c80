// Callbacks for ports that a process opens. One timer polls for all monitors; callbacks are never awaited, so that
// removing a monitor takes effect at once, even while a callback hangs.
import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import { membersOf } from '../proc/process-members.ts';
import { postOnce } from './loopback-callback.ts';
import { processIdentityOf } from './process-identity.ts';
import { servedPorts } from './served-ports.ts';

const pollMs = 500;
const maxMonitors = 100;
const maxCallbacksUnderWay = 32;

type Monitor = { url: URL; notified: Set<number>; removed: AbortController };

export class PortMonitors {
  readonly #guest: Guest;
  readonly #byPid = new Map<number, Map<string, Monitor>>();
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;

  constructor(guest: Guest) {
    this.#guest = guest;
    guest.stopping.addEventListener('abort', () => this.#clear(), { once: true });
  }

  /** Ports that are already open count as new: a caller cannot know whether it asked before or after they opened. */
  add(pid: number, url: URL): void {
    const monitors = this.#byPid.get(pid) ?? new Map<string, Monitor>();
    if (monitors.has(url.href)) return;
    if (this.count >= maxMonitors) {
      throw new Fault(
        422,
        `There are ${maxMonitors} port monitors already. Remove one (DELETE /network/process/{pid}/monitor), then try again.`,
      );
    }
    monitors.set(url.href, { url, notified: new Set(), removed: new AbortController() });
    this.#byPid.set(pid, monitors);
    this.#timer ??= setInterval(() => void this.#poll(), pollMs).unref();
  }

  remove(pid: number): void {
    for (const monitor of this.#byPid.get(pid)?.values() ?? []) monitor.removed.abort();
    this.#byPid.delete(pid);
    if (this.#byPid.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get count(): number {
    return this.#byPid.values().reduce((sum, monitors) => sum + monitors.size, 0);
  }

  async #poll(): Promise<void> {
    for (const [pid, monitors] of [...this.#byPid]) {
      const members = membersOf(await processIdentityOf(this.#guest, pid));
      // Another poll or a removal may have run while the process was looked up.
      if (this.#byPid.get(pid) !== monitors) continue;
      if (members.length === 0) {
        this.remove(pid);
        continue;
      }
      const open = servedPorts(members);
      for (const monitor of monitors.values()) this.#notify(pid, monitor, open);
    }
  }

  #notify(pid: number, monitor: Monitor, open: ReadonlySet<number>): void {
    // A port that was closed since the last poll counts as new again.
    monitor.notified = monitor.notified.intersection(open);
    for (const port of open.difference(monitor.notified)) {
      // Not added to `told`, so the next poll finds the port new as well.
      if (this.#underWay >= maxCallbacksUnderWay) return;
      monitor.notified.add(port);
      this.#underWay += 1;
      void postOnce(monitor.url, { pid, port }, monitor.removed.signal).finally(() => {
        this.#underWay -= 1;
      });
    }
  }

  #clear(): void {
    for (const pid of [...this.#byPid.keys()]) this.remove(pid);
  }
}

const monitorsByGuest = new WeakMap<Guest, PortMonitors>();

export function monitorsOf(guest: Guest): PortMonitors {
  const monitors = monitorsByGuest.get(guest) ?? new PortMonitors(guest);
  monitorsByGuest.set(guest, monitors);
  return monitors;
}
