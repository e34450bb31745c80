import type Docker from 'dockerode';
import { z } from 'zod';
import { type ContainerEvent, containerLabels } from './driver.ts';
import { jsonLines } from './json-lines.ts';

const types = ['start', 'die', 'oom', 'destroy'] as const;

/** The attributes hold the container's labels beside the engine's own attributes. */
const Event = z.object({
  Action: z.enum(types),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
});

/** All events from the moment of the call on, also those before the first read. */
export function containerEvents(docker: Docker, signal: AbortSignal): AsyncIterable<ContainerEvent> {
  const filters = { type: ['container' as const], event: [...types], label: [containerLabels.runner] };
  const stream = docker.getEvents({ since: Date.now() / 1_000, filters, abortSignal: signal });
  // The reader gets this error; until it reads, the rejection must not count as unhandled.
  stream.catch(() => {});
  return read(stream);
}

async function* read(opening: Promise<NodeJS.ReadableStream>): AsyncGenerator<ContainerEvent> {
  try {
    for await (const { Action, Actor } of jsonLines(await opening, Event)) {
      yield { id: Actor.ID, labels: Actor.Attributes, type: Action };
    }
  } catch (error) {
    // The engine went away or the reader stopped. Both end the stream; only an answer that cannot be parsed is an
    // error.
    if (error instanceof z.ZodError || error instanceof SyntaxError) throw error;
  }
}
