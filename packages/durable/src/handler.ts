import type { Logger, TraceContext } from '@berth/telemetry';
import type { MessageType, SendOptions } from './message.ts';

export interface HandlerContext<Message> {
  readonly key: string;
  readonly input: Message;
  /** When this attempt began. Deadlines are compared with the database's clock instead. */
  readonly now: Date;
  /** 1 the first time; counted by this process, so a restart begins anew. */
  readonly attempt: number;
  readonly trace: TraceContext;
  /** Bound to handler, key, call and trace. */
  readonly logger: Logger;
  /**
   * Takes effect once `handle` has returned, then for certain and once; a handler that throws has sent nothing. So there
   * is nothing to wait for.
   */
  send<Next>(to: MessageType<Next>, key: string, message: Next, options?: Omit<SendOptions, 'trace'>): void;
}

/** How the engine tries again after a throw. Without a limit by default: a key that gives up stays unfinished unseen. */
export interface RetryPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** After so many attempts the message is dropped; whoever sets it says who finds the work again. */
  readonly maxAttempts?: number;
}

/**
 * Loads, decides, writes by compare-and-set, sends, returns. It may run again after any line, and in rare cases beside
 * itself, so what it decided on must still hold in the statement that writes. It never waits for the world.
 */
export interface Handler<Message = unknown> extends MessageType<Message> {
  readonly retry?: Partial<RetryPolicy> | undefined;
  handle(context: HandlerContext<Message>): Promise<void>;
}

/** Every handler that a process serves; one name, one handler. */
export type Catalogue = readonly Handler[];

export const defaultRetry: RetryPolicy = { initialMs: 100, maxMs: 60_000, factor: 2 };

export function defineHandler<Message>(handler: Handler<Message>): Handler<Message> {
  return handler;
}
