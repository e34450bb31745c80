export interface Timeouts {
  /** Undefined: as long as bytes move. */
  readonly totalMs: number | undefined;
  /** Without a byte in either direction. */
  readonly silentMs: number;
}

export interface Patience {
  /** A byte has moved. */
  touch(): void;
  stop(): void;
}

/** Calls `onEnd` once, when either limit is reached. */
export function startPatience({ totalMs, silentMs }: Timeouts, onEnd: () => void): Patience {
  const silent = setTimeout(end, silentMs);
  const total = totalMs === undefined ? undefined : setTimeout(end, totalMs);
  function stop(): void {
    clearTimeout(silent);
    clearTimeout(total);
  }
  function end(): void {
    stop();
    onEnd();
  }
  return {
    // A refreshed timer costs no allocation, and there is one touch for every chunk.
    touch: () => void silent.refresh(),
    stop,
  };
}
