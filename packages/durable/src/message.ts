import type { z } from 'zod';

/** What a handler is sent, apart from the handler: who only sends imports this and none of its code. */
export interface MessageType<Message = unknown> {
  /** Also the topic of the outbox rows that lead to it. */
  readonly name: string;
  readonly input: z.ZodType<Message>;
}

export interface SendOptions {
  /** A timer is a send with a delay. It is kept by the engine and survives its restart. */
  readonly delayMs?: number | undefined;
  /** Of several sends to one handler and key with the same id, one is handled; remembered for a day after that. */
  readonly dedupe?: string | undefined;
  /** W3C traceparent of what led to the send. */
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
