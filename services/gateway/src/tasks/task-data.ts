// Arguments of tasks, ready to send. A thousand tasks that start at once read one execution, so a list is read once and
// kept for a moment. Arguments never change; only the end of the execution is noticed late by that moment.
import { answerInTime, BoundedMap } from '@berth/concurrency';
import type { Database, LookupLane } from '@berth/database';
import type { TaskDataName } from '@berth/jobs';
import { lookupError } from '../errors/lookup-error.ts';
import { type JsonBody, jsonBody } from './json-body.ts';
import { allTasks, onlyTask } from './render-task-data.ts';
import { queryTaskInput, queryTaskList } from './task-data-query.ts';

export interface TaskDataOptions {
  readonly database: Database;
  /** Bounds the connections that these reads take from requests to workloads. */
  readonly lane: LookupLane;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

export interface TaskData {
  /**
   * Undefined when there is no such task, or when its execution has ended. Throws PLATFORM_UNAVAILABLE when the
   * database does not answer, and LOOKUPS_BUSY when too many reads are waiting.
   */
  bodyOf(task: TaskDataName): Promise<JsonBody | undefined>;
}

/** `all` is undefined when the arguments are too large together; a task then gets only its own. */
interface Listing {
  readonly count: number;
  readonly all: JsonBody | undefined;
}

interface CacheEntry {
  readonly freshUntil: number;
  readonly listing: Promise<Listing | undefined>;
}

const freshMs = 3_000;
/** Each entry holds a document of up to 1 MiB, and once more compressed. */
const maxExecutions = 16;

export function createTaskData({ database, lane, now = () => performance.now() }: TaskDataOptions): TaskData {
  const known = new BoundedMap<CacheEntry>(maxExecutions);

  async function read<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await answerInTime(lane.ask(question), { hasStandIn: false });
    } catch (error) {
      throw lookupError(error);
    }
  }

  async function readListing(executionId: string): Promise<Listing | undefined> {
    const list = await read(() => queryTaskList(database, executionId));
    if (list === undefined) return undefined;
    const { count, inputs } = list;
    return { count, all: inputs === undefined ? undefined : jsonBody(allTasks(inputs)) };
  }

  function listingOf(executionId: string): Promise<Listing | undefined> {
    const entry = known.get(executionId);
    if (entry !== undefined && now() < entry.freshUntil) return entry.listing;
    const listing = readListing(executionId);
    known.set(executionId, { freshUntil: now() + freshMs, listing });
    listing.catch(() => {
      if (known.get(executionId)?.listing === listing) known.delete(executionId);
    });
    return listing;
  }

  return {
    async bodyOf(task) {
      const listing = await listingOf(task.executionId);
      if (listing === undefined || task.index >= listing.count) return undefined;
      if (listing.all !== undefined) return listing.all;
      const input = await read(() => queryTaskInput(database, task));
      return input === undefined ? undefined : jsonBody(onlyTask(input, task.index, listing.count));
    },
  };
}
