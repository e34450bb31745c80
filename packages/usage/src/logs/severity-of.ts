// Derives the severity of a line from its text: programs write it in a field, in a word at the beginning, or not at
// all. The stream is ignored, because many programs write everything to stderr.
import type { LogSeverity } from '@berth/contract';

const words: Readonly<Record<string, LogSeverity>> = {
  fatal: 'FATAL',
  critical: 'FATAL',
  crit: 'FATAL',
  panic: 'FATAL',
  alert: 'FATAL',
  emerg: 'FATAL',
  emergency: 'FATAL',
  error: 'ERROR',
  err: 'ERROR',
  severe: 'ERROR',
  warning: 'WARNING',
  warn: 'WARNING',
  info: 'INFO',
  information: 'INFO',
  notice: 'INFO',
  debug: 'DEBUG',
  verbose: 'DEBUG',
  trace: 'TRACE',
  silly: 'TRACE',
};

const fieldNames = ['level', 'severity', 'lvl', 'levelname', 'log.level', 'severity_text'];

/** Lowest number of each severity, as pino and bunyan count. */
const pinoLevels: readonly (readonly [number, LogSeverity])[] = [
  [60, 'FATAL'],
  [50, 'ERROR'],
  [40, 'WARNING'],
  [30, 'INFO'],
  [20, 'DEBUG'],
  [10, 'TRACE'],
];

/** Numbers below ten are syslog severities, where 0 is the worst. */
const syslogLevels: readonly LogSeverity[] = ['FATAL', 'FATAL', 'FATAL', 'ERROR', 'WARNING', 'INFO', 'INFO', 'DEBUG'];

const word = Object.keys(words).join('|');
/** Text before the severity word: a time, brackets, the name of a thread. */
const opening = '^[\\s\\d\\-:.,TZ+/|[(<]*(?:[\\w.:-]+\\] )?';

const patterns: readonly RegExp[] = [
  // ERROR something. Only capitals match, since prose words are not in capitals.
  new RegExp(`${opening}(${word.toUpperCase()})(?![\\w-])`),
  // error: something, [warn] something, <info> something
  new RegExp(`${opening}(${word})(?:[:\\])>|!]|\\s*[|])`, 'i'),
  // 2026-01-01 10:00:00 - name - ERROR - something, name | ERROR | something, main [ERROR] something
  new RegExp(`^.{0,80}?(?:- |\\| ?|\\[)(${word})(?: -|\\s*\\||\\])`, 'i'),
  // time=… level=info msg=…
  new RegExp(`^.{0,256}?\\b(?:level|severity|lvl)="?(${word})\\b`, 'i'),
];

/** Messages of runtimes when a program crashes, and of npm when a script fails. */
const breakages: readonly (readonly [RegExp, LogSeverity])[] = [
  [/^Traceback \(most recent call last\)/, 'ERROR'],
  [/^(?:Uncaught |Unhandled |Exception in thread )/, 'ERROR'],
  [/^(?:[\w.]*\.)?(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?::|$)/, 'ERROR'],
  [/^npm (?:ERR!|error)/, 'ERROR'],
  [/^npm warn/i, 'WARNING'],
  [/^(?:thread '.*' panicked at|Segmentation fault)/, 'FATAL'],
];

/** Only this much of a line is read: the word is at the beginning, and a long line must not take long. */
const headLength = 400;

export function severityOf(text: string): LogSeverity {
  const field = text.trimStart().startsWith('{') ? fieldOf(text) : undefined;
  if (field !== undefined) return field;
  const head = text.slice(0, headLength);
  for (const pattern of patterns) {
    const found = pattern.exec(head)?.[1];
    if (found !== undefined) return words[found.toLowerCase()] ?? 'UNKNOWN';
  }
  return breakages.find(([pattern]) => pattern.test(head))?.[1] ?? 'UNKNOWN';
}

/** Severity from the fields of a line that is a JSON object. */
function fieldOf(text: string): LogSeverity | undefined {
  const fields = parse(text);
  for (const name of fieldNames) {
    const value = fields[name];
    const severity = typeof value === 'string' ? words[value.toLowerCase()] : undefined;
    if (severity !== undefined) return severity;
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    if (typeof number === 'number' && number >= 0) return fromNumber(number);
  }
  return undefined;
}

const fromNumber = (number: number): LogSeverity | undefined =>
  number < 10 ? syslogLevels[number] : pinoLevels.find(([from]) => number >= from)?.[1];

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
