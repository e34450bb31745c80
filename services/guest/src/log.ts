// Log lines as JSON on the standard output. Writes never block, and lines are dropped when the output is not read: a
// full pipe must never stop the guest.
import { write } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bytesPerMb } from '@berth/contract/guest';
import type { Caller } from './caller.ts';

const maxWaitingBytes = bytesPerMb;
const standardOutput = 1;
const maxValueCharacters = 4096;
const secretNames = /token|key|secret|passw|credential|auth|signature|jwt|cookie/i;

export type AuditAction =
  | 'process_exec'
  | 'process_exec_stream'
  | 'process_logs_access'
  | 'process_logs_stream'
  | 'process_output'
  | 'process_stop'
  | 'process_kill'
  | 'process_signal'
  | 'terminal_connect'
  | 'terminal_command'
  | 'terminal_disconnect';

type ServedRequest = { request: IncomingMessage; response: ServerResponse; caller: Caller };
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

export class GuestLog {
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #writing = false;

  line(source: 'access' | 'audit' | 'process' | 'guest', fields: Fields): void {
    const text = `${JSON.stringify({ time: new Date().toISOString(), source, ...fields })}\n`;
    if (this.#waitingBytes + text.length > maxWaitingBytes) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    this.#flush();
  }

  access({ request, response, caller }: ServedRequest, ms: number, size: number): void {
    this.line('access', {
      method: request.method,
      path: withoutSecrets(request.url ?? '/'),
      status: response.statusCode,
      size,
      ms: Math.round(ms * 10) / 10,
      rid: sanitised(caller.requestId),
    });
  }

  /** Records who did what. Values chosen by a caller, such as a command, are bounded and cannot break the line. */
  audit(action: AuditAction, caller: Caller, fields: Fields = {}): void {
    this.line('audit', {
      action,
      'sub-id': sanitised(caller.subjectId),
      'sub-type': sanitised(caller.subjectType),
      'auth-method': sanitised(caller.authMethod),
      rid: sanitised(caller.requestId),
      ...Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? sanitised(value) : value]),
      ),
    });
  }

  failure({ request, caller }: ServedRequest, error: unknown): void {
    this.line('guest', {
      level: 'error',
      method: request.method,
      path: withoutSecrets(request.url ?? '/'),
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      rid: caller.requestId,
    });
  }

  #flush(): void {
    if (this.#writing || this.#waiting.length === 0) return;
    this.#writing = true;
    if (this.#dropped > 0) {
      this.#waiting.push(`${JSON.stringify({ source: 'guest', dropped: this.#dropped })}\n`);
      this.#dropped = 0;
    }
    const bytes = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#write(bytes);
  }

  #write(bytes: Buffer): void {
    write(standardOutput, bytes, (_error, written = 0) => {
      if (written > 0 && written < bytes.length) {
        this.#write(bytes.subarray(written));
        return;
      }
      this.#writing = false;
      this.#flush();
    });
  }
}

/** Redacts query values that may be credentials. */
export function withoutSecrets(url: string): string {
  const [path = '', query] = url.split('?', 2);
  if (query === undefined) return path;
  const pairs = query.split('&').map((pair) => {
    const [name = ''] = pair.split('=', 1);
    return secretNames.test(decoded(name)) ? `${name}=redacted` : pair;
  });
  return `${path}?${pairs.join('&')}`;
}

/** Bounds and escapes a value, so that a line break in a name cannot forge a second event. */
export function sanitised(value: string): string {
  const kept = value.length > maxValueCharacters ? `${value.slice(0, maxValueCharacters)}…` : value;
  return JSON.stringify(kept).slice(1, -1);
}

/** Decodes the name as its receiver would: `to%6ben` means `token`. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    // The name cannot be decoded but may still mean a secret, so its value is redacted.
    return 'secret';
  }
}
