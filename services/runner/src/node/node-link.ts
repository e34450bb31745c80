// The runner's connection to the api: one stream at a time, with reports and heartbeats as long as it is open. It
// reconnects after any failure; the containers are not affected.

import { backoffMs, Notifier, pause } from '@berth/concurrency';
import {
  type DesiredInstance,
  type Heartbeat,
  type Hello,
  inWords,
  nodePaths,
  nodeProtocol,
  type StreamMessage,
} from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { ApiRefusal } from './api-refusal.ts';
import { type NodeClient, readAnswer } from './node-client.ts';
import { type Observation, PendingReports, type SandboxActivity } from './pending-reports.ts';
import { readMessages } from './read-messages.ts';
import { sendHeartbeats } from './send-heartbeats.ts';
import { type ReportedOrphans, sendOrphans } from './send-orphans.ts';
import { sendReports } from './send-reports.ts';

/** Receives the state that the api wants on this runner. */
export interface DesiredStateListener {
  all(wanted: Omit<Extract<StreamMessage, { type: 'all' }>, 'type'>): void;
  set(instance: DesiredInstance): void;
  /** An instance that is leaving is removed only once its open requests have ended. */
  unset(id: string, isLeaving: boolean): void;
  /** Orphans that are to be removed. */
  discard(ids: readonly string[]): void;
}

export interface NodeLinkOptions {
  readonly client: NodeClient;
  readonly logger: Logger;
  readonly onReportsSent: (count: number) => void;
  /** Time of the deployment, milliseconds since 1970; an older api does not send it. */
  readonly onTime?: (nowMs: number) => void;
  /** Told the epoch of the deployment before each full state; an older api does not send it. */
  readonly orphans?: ReportedOrphans & { meet(epoch: string): void };
}

/** What the runner tells about itself. */
export interface RunnerFacts {
  readonly hello: () => Promise<Hello>;
  readonly measure: () => Promise<Omit<Heartbeat, 'session'>>;
}

type Welcome = Extract<StreamMessage, { type: 'welcome' }>;

/** After a stream that lasted this long, the backoff begins again. */
const goodStreamMs = 10_000;
const soonMs = 250;
const reconnectMs = { first: 100, max: 5_000 };

export class NodeLink {
  readonly #options: NodeLinkOptions;
  readonly #reports = new PendingReports();
  readonly #reportNotifier = new Notifier();
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #soon: NodeJS.Timeout | undefined;
  #isConnected = false;
  #lastFailure = '';

  constructor(options: NodeLinkOptions) {
    this.#options = options;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  report(instance: string, observation: Observation): void {
    const isStillReady = this.#reports.stateOf(instance) === 'ready' && observation.state === 'ready';
    this.#reports.put(instance, observation);
    if (isStillReady) this.#notifySoon();
    else this.#reportNotifier.notify();
  }

  /** Reports of a ready sandbox whether it is awake, and when it was used. */
  reportActivity(instance: string, activity: SandboxActivity): void {
    this.#reports.putActivity(instance, activity);
    if (activity.awake && !activity.isExpired) this.#notifySoon();
    else this.#reportNotifier.notify();
  }

  /**
   * Sends reports that are not urgent together and a little later, not in the moment in which a client begins to use
   * a sandbox.
   */
  #notifySoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.#reportNotifier.notify();
    }, soonMs).unref();
  }

  countByState(): Map<string, number> {
    return this.#reports.countByState();
  }

  start(desired: DesiredStateListener, facts: RunnerFacts): void {
    this.#running = this.#run(desired, facts);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(desired: DesiredStateListener, facts: RunnerFacts): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      const openedAt = performance.now();
      try {
        await this.#runSession(desired, facts);
      } catch (error) {
        if (!signal.aborted) this.#logFailure(error);
      }
      failures = performance.now() - openedAt > goodStreamMs ? 1 : failures + 1;
      await pause(backoffMs(failures, reconnectMs.first, reconnectMs.max, Math.random), signal);
    }
  }

  /** Returns when the api ends the stream; throws when it breaks. */
  async #runSession(desired: DesiredStateListener, { hello, measure }: RunnerFacts): Promise<void> {
    const { client } = this.#options;
    const ending = new AbortController();
    const signal = AbortSignal.any([ending.signal, this.#closing.signal]);
    const beside: Promise<void>[] = [];
    try {
      const incoming = await client.open(nodePaths.stream, await hello(), signal);
      if (incoming.statusCode !== 200) throw new ApiRefusal(await readAnswer(incoming));
      for await (const message of readMessages(incoming)) {
        if (message.type === 'welcome') beside.push(...this.#welcome(message, measure, signal, ending));
        else dispatch(message, desired);
      }
    } finally {
      this.#isConnected = false;
      ending.abort();
      await Promise.all(beside);
    }
  }

  #welcome(
    { session, protocol = 1, nowMs, epoch }: Welcome,
    measure: RunnerFacts['measure'],
    signal: AbortSignal,
    ending: AbortController,
  ): Promise<void>[] {
    const { client, logger, onReportsSent, onTime, orphans } = this.#options;
    if (protocol < nodeProtocol.oldest || protocol > nodeProtocol.newest)
      throw new Error(
        `The api speaks node protocol ${protocol} in this session, this runner ${inWords(nodeProtocol)}. Upgrade the older of the two: berth-server upgrade ARCHIVE.`,
      );
    const onTrouble = (error: unknown) => this.#logFailure(error);
    this.#isConnected = true;
    this.#lastFailure = '';
    if (nowMs !== undefined) onTime?.(nowMs);
    if (epoch !== undefined) orphans?.meet(epoch);
    this.#reports.resendAll();
    logger.info({ session }, 'connected to the api');
    const shared = { client, session, signal, onTrouble };
    const reports = sendReports({
      ...shared,
      pending: this.#reports,
      notifier: this.#reportNotifier,
      onSent: onReportsSent,
    });
    // The session is over, so its stream is ended too.
    const beside = [reports.catch(() => ending.abort()), sendHeartbeats({ ...shared, measure })];
    if (epoch === undefined || orphans === undefined) return beside;
    return [...beside, sendOrphans({ ...shared, orphans })];
  }

  /** Logs a repeated failure once, until another failure occurs or the runner connects. */
  #logFailure(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    if (words === this.#lastFailure) return;
    this.#lastFailure = words;
    const { logger } = this.#options;
    if (error instanceof ApiRefusal && error.isUnknownRunner) logger.error({ err: error }, unknownRunnerAdvice);
    else logger.warn({ err: error }, 'connection to the api failed; instances keep running, reconnecting');
  }
}

const unknownRunnerAdvice =
  'The api does not accept this runner\u2019s certificate: it was removed, or belongs to another deployment. To join again, ' +
  'make a token with berth-server create-join-token, set runner.joinToken, remove identity.json from runner.stateFolder ' +
  'and start the runner again.';

function dispatch(message: Exclude<StreamMessage, Welcome>, desired: DesiredStateListener): void {
  if (message.type === 'all') desired.all(message);
  if (message.type === 'set') desired.set(message.instance);
  if (message.type === 'unset') desired.unset(message.id, message.isLeaving);
  if (message.type === 'discard') desired.discard(message.orphans);
}
