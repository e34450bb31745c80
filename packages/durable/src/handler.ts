import type { Logger, TraceContext } from '@berth/telemetry';
import type { MessageType, SendOptions } from './message.ts';

export interface HandlerContext<Message> {
  readonly key: string;
  readonly input: Message;
  /** Start of this attempt. Deadlines are compared with the database's clock instead. */
  readonly now: Date;
  /** 1 on the first attempt. Counted by this process, so it is 1 again after a restart. */
  readonly attempt: number;
  readonly trace: TraceContext;
  /** Bound to handler, key, call and trace. */
  readonly logger: Logger;
  /**
   * Queues a message. It leaves once `handle` has returned, exactly once; a handler that throws has sent nothing. So
   * there is nothing to await.
   */
  send<Next>(to: MessageType<Next>, key: string, message: Next, options?: Omit<SendOptions, 'trace'>): void;
}

/** Retries by the engine after a throw. Unlimited by default: a key that gives up stays unfinished unnoticed. */
export interface RetryPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** Attempts after which the message is dropped. A handler that sets it documents how the work is found again. */
  readonly maxAttempts?: number;
}

/**
 * A handler loads, decides, writes by compare-and-set, sends and returns. It may run again after any line, and in rare
 * cases concurrently with itself, so the writing statement must check that the facts behind the decision still hold. It
 * never waits for external events.
 */
export interface Handler<Message = unknown> extends MessageType<Message> {
  readonly retry?: Partial<RetryPolicy> | undefined;
  handle(context: HandlerContext<Message>): Promise<void>;
}

export const defaultRetry: RetryPolicy = { initialMs: 100, maxMs: 60_000, factor: 2 };

export function defineHandler<Message>(handler: Handler<Message>): Handler<Message> {
  return handler;
}
