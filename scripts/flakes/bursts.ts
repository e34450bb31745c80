export type Burst = { busyMs: number; idleMs: number };

const shortestMs = 20;
const longestMs = 300;

/** Bursts of a neighbour that takes `percent` of a core, as a busy host does: of random length, at any moment. */
export function* bursts(percent: number, random: () => number): Generator<Burst, never> {
  for (;;) {
    const busyMs = shortestMs + random() * (longestMs - shortestMs);
    yield { busyMs, idleMs: (busyMs * (100 - percent)) / percent };
  }
}
