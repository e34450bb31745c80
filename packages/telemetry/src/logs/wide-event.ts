import type { Logger } from 'pino';

type Fields = Readonly<Record<string, unknown>>;

export type WideEvent = {
  /** Collects fields; nothing is written yet. */
  add(fields: Fields): void;
  /** Writes the one line. Later calls are ignored, so that an error path may end an event that a handler has ended. */
  end(fields?: Fields): void;
  fail(error: unknown, fields?: Fields): void;
};

/** One line per request, handler call or container change, with all the fields collected until it ends. */
export function startWideEvent(
  logger: Logger,
  name: string,
  fields: Fields = {},
  now: () => number = () => performance.now(),
): WideEvent {
  const startedAt = now();
  const collected: Record<string, unknown> = { event: name, ...fields };
  let written = false;

  function write(level: 'info' | 'error', outcome: string, extra: Fields | undefined, error?: unknown): void {
    if (written) return;
    written = true;
    collected.outcome = outcome;
    if (extra !== undefined) Object.assign(collected, extra);
    if (level === 'error') collected.err = error;
    collected.durationMs = Math.round((now() - startedAt) * 1_000) / 1_000;
    logger[level](collected, name);
  }

  return {
    add: (extra) => void Object.assign(collected, extra),
    end: (extra) => write('info', 'ok', extra),
    fail: (error, extra) => write('error', 'error', extra, error),
  };
}
