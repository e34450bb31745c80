// Chooses the instance for a request. While no instance is ready the request waits, because one may be starting.
import type { IncomingMessage } from 'node:http';
import type { Brand } from '@berth/contract';
import { isSticky, type StickyCookies } from '../access/sticky-cookie.ts';
import type { DemandTracker } from '../demand/demand-tracker.ts';
import type { WaitingList } from '../demand/waiting-list.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { incomingSession } from '../http/mcp-session.ts';
import { pickInstance } from '../routing/pick-instance.ts';
import { pickRevision } from '../routing/pick-revision.ts';
import type { Route } from '../routing/route.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import type { Endpoint, Workload } from '../workloads/workload.ts';
import type { WorkloadKind } from '../workloads/workload-kind.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { type OnResponseHead, workloadHeaders } from './response-headers.ts';

export interface ChooserOptions {
  readonly brand: Brand;
  readonly cache: Pick<WorkloadCache, 'find' | 'nextChange'>;
  readonly demand: Pick<DemandTracker, 'requestAgain'>;
  readonly cookies: StickyCookies;
  readonly holdMs: number;
  /** Counts waiting requests; when it is full, the next request is refused at once. */
  readonly waiting: WaitingList;
  readonly random: () => number;
}

interface Asked {
  readonly request: IncomingMessage;
  readonly session: string | undefined;
  /** Instances that have already failed to take this request. */
  readonly refused: ReadonlySet<string>;
}

interface Chosen {
  readonly endpoint: Endpoint;
  /** Time that the request waited for an instance; undefined when one was ready. */
  readonly heldMs: number | undefined;
  readonly onResponseHead: OnResponseHead;
  /** Counts the request as under way at the instance until `work` settles. */
  count<T>(work: () => Promise<T>): Promise<T>;
}

interface Held {
  readonly workload: Workload;
  readonly endpoint: Endpoint;
  readonly heldMs: number;
}

export interface Chooser {
  /** Throws WORKLOAD_UNAVAILABLE when no instance is ready in time. */
  choose(route: Route, workload: Workload, asked: Asked): Promise<Chosen>;
}

/** Poll interval when no notice arrives. */
const pollMs = 250;
/** The orchestrator may have crashed before it acted on our request, so we repeat it every 5 s. */
const requestAgainMs = 5_000;

export function createChooser(options: ChooserOptions): Chooser {
  const { brand, cache, demand, cookies, holdMs, waiting, random } = options;
  const inFlight = new Map<string, number>();

  const pick = (workload: Workload, { request, session, refused }: Asked): Endpoint | undefined => {
    const open = workload.endpoints.filter(({ instance }) => !refused.has(instance));
    const begun = session === undefined ? undefined : incomingSession(session).instance;
    const sessionHolder = open.find(({ instance }) => instance === begun);
    if (sessionHolder !== undefined) return sessionHolder;
    const sticky = isSticky(workload.traffic) ? cookies.read(request.headers.cookie, workload.uid) : undefined;
    const revision = pickRevision(workload.traffic, open, sticky, random);
    const own = open.filter((endpoint) => endpoint.revision === revision);
    return pickInstance(own, (instance) => inFlight.get(instance) ?? 0, random);
  };

  function hold(route: Route, asked: Asked, { uid, kind, isFailed }: Workload): Promise<Held> {
    if (isFailed) throw workloadKinds[kind].failedError();
    if (waiting.isFull(uid))
      throw new GatewayError('WORKLOAD_UNAVAILABLE', { message: 'Too many requests wait for this workload already.' });
    return waiting.wait(uid, () => waitForInstance(route, asked, uid));
  }

  /** Looks again until an instance is ready. The demand was already recorded when the request arrived. */
  async function waitForInstance(route: Route, asked: Asked, uid: string): Promise<Held> {
    const since = performance.now();
    let requestAgainAt = since + requestAgainMs;
    let awayError: WorkloadKind['awayError'];
    for (let now = since; now < since + holdMs && !asked.request.socket.destroyed; now = performance.now()) {
      await cache.nextChange(uid, pollMs);
      const workload = await cache.find(route, 'caller');
      if (workload === undefined) throw new GatewayError('WORKLOAD_NOT_FOUND');
      const endpoint = pick(workload, asked);
      if (endpoint !== undefined) return { workload, endpoint, heldMs: performance.now() - since };
      const kind = workloadKinds[workload.kind];
      if (workload.isFailed) throw kind.failedError();
      awayError = workload.isAway ? kind.awayError : undefined;
      if (now < requestAgainAt || !kind.hasDemand) continue;
      demand.requestAgain(uid);
      requestAgainAt = now + requestAgainMs;
    }
    if (awayError !== undefined) throw awayError();
    throw new GatewayError('WORKLOAD_UNAVAILABLE', {
      message: `No instance of the workload was ready within ${Math.round(holdMs / 1_000)} seconds. Its events and logs say why.`,
    });
  }

  return {
    async choose(route, known, asked) {
      const first = pick(known, asked);
      const { workload, endpoint, heldMs } =
        first === undefined ? await hold(route, asked, known) : { workload: known, endpoint: first, heldMs: undefined };
      return {
        endpoint,
        heldMs,
        onResponseHead: (_, rawHeaders) =>
          workloadHeaders({ brand, cookies, route, workload, endpoint, request: asked.request }, rawHeaders),
        async count(work) {
          const { instance } = endpoint;
          inFlight.set(instance, (inFlight.get(instance) ?? 0) + 1);
          try {
            return await work();
          } finally {
            const left = (inFlight.get(instance) ?? 1) - 1;
            if (left > 0) inFlight.set(instance, left);
            else inFlight.delete(instance);
          }
        },
      };
    },
  };
}
