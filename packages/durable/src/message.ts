import type { z } from 'zod';

/**
 * A message and its handler's name, declared apart from the handler: code that only sends imports this and none of the
 * handler's code.
 */
export interface MessageType<Message = unknown> {
  /** Name of the handler, and topic of the outbox rows that lead to it. */
  readonly name: string;
  readonly input: z.ZodType<Message>;
}

export interface SendOptions {
  /** A timer is a send with a delay. The engine stores it, so it survives a restart of the engine. */
  readonly delayMs?: number | undefined;
  /**
   * Idempotency key: of several sends to one handler and key with the same value, one is handled. It is remembered for
   * a day after that.
   */
  readonly dedupe?: string | undefined;
  /** W3C traceparent of the request or call that led to the send. */
  readonly trace?: string | undefined;
}

export interface Outgoing extends SendOptions {
  readonly to: Pick<MessageType, 'name'>;
  readonly key: string;
  readonly message: unknown;
}

export function defineMessage<Message>(type: MessageType<Message>): MessageType<Message> {
  return type;
}
