export type Burst = { busyMs: number; idleMs: number };

const shortestMs = 20;
const longestMs = 300;

/** Bursts like those of a busy neighbour that takes `percent` of a core: of random length, at any moment. */
export function* bursts(percent: number, random: () => number): Generator<Burst, never> {
  for (;;) {
    const busyMs = shortestMs + random() * (longestMs - shortestMs);
    yield { busyMs, idleMs: (busyMs * (100 - percent)) / percent };
  }
}
