// Sends from outside a handler: one HTTP request to Restate's ingress, answered once the message is stored.
import { method } from './bind-handler.ts';
import type { MessageType, Outgoing, SendOptions } from './message.ts';
import { SendFailed } from './send-failed.ts';

export interface Sender {
  /**
   * Resolves when the engine has stored the message. After a throw the message may or may not be stored: send it again
   * with the same `dedupe`.
   */
  send<Message>(to: MessageType<Message>, key: string, message: Message, options?: SendOptions): Promise<void>;
  /** Sends with bounded concurrency. Results are in the order given; undefined means that the message is stored. */
  sendMany(messages: readonly Outgoing[]): Promise<readonly (SendFailed | undefined)[]>;
}

export interface SenderOptions {
  readonly ingressUrl: string;
  /** Requests that one `sendMany` has open at a time. */
  readonly concurrency?: number;
  readonly timeoutMs?: number;
}

export function createSender({ ingressUrl, concurrency = 32, timeoutMs = 10_000 }: SenderOptions): Sender {
  const post = (outgoing: Outgoing): Promise<void> => postMessage(ingressUrl, timeoutMs, outgoing);
  return {
    send: (to, key, message, options) => post({ ...options, to, key, message: to.input.parse(message) }),
    async sendMany(messages) {
      const results: (SendFailed | undefined)[] = new Array(messages.length);
      const waiting = messages.entries();
      // Once the engine does not answer, the rest is skipped: each send would wait for its own timeout.
      let away: SendFailed | undefined;
      const worker = async (): Promise<void> => {
        // The workers share the iterator: each takes the next message.
        for (const [index, message] of waiting) {
          results[index] = away ?? (await post(message).then(() => undefined, SendFailed.from));
          if (results[index]?.isRefusal === false) away = results[index];
        }
      };
      await Promise.all(Array.from({ length: Math.min(concurrency, messages.length) }, worker));
      return results;
    },
  };
}

async function postMessage(ingressUrl: string, timeoutMs: number, outgoing: Outgoing): Promise<void> {
  const { to, key, message, delayMs, dedupe, trace } = outgoing;
  const delay = delayMs === undefined ? '' : `?delay=${Math.max(0, Math.round(delayMs))}ms`;
  const url = `${ingressUrl}/${encodeURIComponent(to.name)}/${encodeURIComponent(key)}/${method}/send${delay}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(dedupe === undefined ? {} : { 'idempotency-key': dedupe }),
      ...(trace === undefined ? {} : { traceparent: trace }),
    },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    throw SendFailed.from(error);
  });
  const answer = await response.text().catch((error: unknown) => {
    throw SendFailed.from(error);
  });
  if (!response.ok) throw new SendFailed(response.status, `The engine refused ${to.name}: ${answer.slice(0, 500)}`);
}
