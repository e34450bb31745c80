// The runner's connection to the api: one stream at a time, with reports and heartbeats as long as it is open. It
// reconnects after any failure; the containers are not affected.
import { type DesiredInstance, type Heartbeat, type Hello, nodePaths, type StreamMessage } from '@berth/contract/node';
import { Bell, backoffMs, pause } from '@berth/pace';
import type { Logger } from '@berth/telemetry';
import { ApiRefusal } from './api-refusal.ts';
import { type NodeClient, readAnswer } from './node-client.ts';
import { readMessages } from './read-messages.ts';
import { type News, type Observation, ReportBook } from './report-book.ts';
import { sendHeartbeats } from './send-heartbeats.ts';
import { sendReports } from './send-reports.ts';

/** Receives the state that the api wants on this runner. */
export interface Wishes {
  all(wanted: Omit<Extract<StreamMessage, { type: 'all' }>, 'type'>): void;
  set(instance: DesiredInstance): void;
  /** An instance that is leaving is removed only once its open requests have ended. */
  unset(id: string, isLeaving: boolean): void;
}

export interface NodeLinkOptions {
  readonly client: NodeClient;
  readonly hello: () => Promise<Hello>;
  readonly measure: () => Promise<Omit<Heartbeat, 'session'>>;
  readonly logger: Logger;
  readonly onReportsSent: (count: number) => void;
}

type Welcome = Extract<StreamMessage, { type: 'welcome' }>;

/** After a stream that lasted this long, the backoff begins again. */
const goodStreamMs = 10_000;
const soonMs = 250;
const reconnectMs = { first: 100, most: 5_000 };

export class NodeLink {
  readonly #options: NodeLinkOptions;
  readonly #book = new ReportBook();
  readonly #news = new Bell();
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  #isConnected = false;
  #lastComplaint = '';

  constructor(options: NodeLinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  report(instance: string, observation: Observation): void {
    const isStillReady = this.#book.stateOf(instance) === 'ready' && observation.state === 'ready';
    this.#book.put(instance, observation);
    if (isStillReady) this.#ringSoon();
    else this.#news.ring();
  }

  /** Reports of a ready sandbox whether it is awake, and when it was used. */
  news(instance: string, news: News): void {
    this.#book.note(instance, news);
    if (news.awake && !news.isExpired) this.#ringSoon();
    else this.#news.ring();
  }

  /**
   * Sends reports that are not urgent together and a little later, not in the moment in which a client begins to use
   * a sandbox.
   */
  #ringSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#news.ring();
    }, soonMs).unref();
  }

  countByState(): Map<string, number> {
    return this.#book.count();
  }

  start(wishes: Wishes): void {
    this.#running = this.#run(wishes);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(wishes: Wishes): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const openedAt = performance.now();
      try {
        await this.#hold(wishes);
      } catch (error) {
        if (!signal.aborted) this.#complain(error);
      }
      failures = performance.now() - openedAt > goodStreamMs ? 1 : failures + 1;
      await pause(backoffMs(failures, reconnectMs.first, reconnectMs.most, Math.random), signal);
    }
  }

  /** Returns when the api ends the stream; throws when it breaks. */
  async #hold(wishes: Wishes): Promise<void> {
    const { client, hello } = this.#options;
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, this.#closing.signal]);
    const beside: Promise<void>[] = [];
    try {
      const incoming = await client.open(nodePaths.stream, await hello(), signal);
      if (incoming.statusCode !== 200) throw new ApiRefusal(await readAnswer(incoming));
      for await (const message of readMessages(incoming)) {
        if (message.type === 'welcome') beside.push(...this.#welcome(message, signal, ending));
        else follow(message, wishes);
      }
    } finally {
      this.#isConnected = false;
      ending.abort();
      await Promise.all(beside);
    }
  }

  #welcome({ session }: Welcome, signal: AbortSignal, ending: AbortController): Promise<void>[] {
    const { client, measure, logger, onReportsSent } = this.#options;
    const onTrouble = (error: unknown) => this.#complain(error);
    this.#isConnected = true;
    this.#lastComplaint = '';
    this.#book.repeatAll();
    logger.info({ session }, 'connected to the api');
    const shared = { client, session, signal, onTrouble };
    const reports = sendReports({ ...shared, book: this.#book, bell: this.#news, onSent: onReportsSent });
    // The session is over, so its stream is ended too.
    return [reports.catch(() => ending.abort()), sendHeartbeats({ ...shared, measure })];
  }

  /** Logs a repeated failure once, until another failure occurs or the runner connects. */
  #complain(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    if (words === this.#lastComplaint) return;
    this.#lastComplaint = words;
    const { logger } = this.#options;
    if (error instanceof ApiRefusal && error.isStranger) logger.error({ err: error }, strangerAdvice);
    else logger.warn({ err: error }, 'the api is not reached; what runs goes on, and it is tried again');
  }
}

const strangerAdvice =
  'The api does not accept this runner\u2019s certificate: it was removed, or belongs to another deployment. To join again, ' +
  'make a token with berth-server create-join-token, set runner.joinToken, remove identity.json from runner.stateFolder ' +
  'and start the runner again.';

function follow(message: Exclude<StreamMessage, Welcome>, wishes: Wishes): void {
  if (message.type === 'all') wishes.all(message);
  if (message.type === 'set') wishes.set(message.instance);
  if (message.type === 'unset') wishes.unset(message.id, message.isLeaving);
}
