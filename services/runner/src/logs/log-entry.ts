// One entry of Docker's json-file: {"log":"text\n","stream":"stdout","time":"2026-01-02T03:04:05.678901234Z"}.

export interface LogEntry {
  readonly text: string;
  readonly stream: 'stdout' | 'stderr';
  /** Nanoseconds since 1970. */
  readonly timeNs: string;
}

/** Undefined if the line is not an entry: an engine that was killed may leave half of one. */
export function parseEntry(line: string): LogEntry | undefined {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null || !('log' in value) || !('time' in value)) return undefined;
  const { log, time } = value;
  if (typeof log !== 'string' || typeof time !== 'string') return undefined;
  const timeNs = nanoseconds(time);
  if (timeNs === undefined) return undefined;
  return { text: log, stream: 'stream' in value && value.stream === 'stderr' ? 'stderr' : 'stdout', timeNs };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const rfc3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** `Date` holds milliseconds only; the remaining digits are taken from the text. */
function nanoseconds(time: string): string | undefined {
  const [, second, fraction = '', zone] = rfc3339.exec(time) ?? [];
  if (second === undefined || zone === undefined) return undefined;
  const milliseconds = Date.parse(`${second}${zone}`);
  if (Number.isNaN(milliseconds) || milliseconds < 0) return undefined;
  return milliseconds === 0
    ? `${Number(fraction.padEnd(9, '0'))}`
    : `${milliseconds / 1_000}${fraction.padEnd(9, '0')}`;
}
