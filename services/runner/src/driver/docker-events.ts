import type Docker from 'dockerode';
import { z } from 'zod';
import { type ContainerEvent, containerLabels } from './driver.ts';
import { jsonLines } from './json-lines.ts';

const types = ['start', 'die', 'oom', 'destroy'] as const;

/** Labels stand among the attributes, beside the engine's own. */
const Event = z.object({
  Action: z.enum(types),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
});

/** Everything from the moment of the call on, also what happens before somebody reads. */
export function containerEvents(docker: Docker, signal: AbortSignal): AsyncIterable<ContainerEvent> {
  const filters = { type: ['container' as const], event: [...types], label: [containerLabels.runner] };
  const stream = docker.getEvents({ since: Date.now() / 1_000, filters, abortSignal: signal });
  // Told to whoever reads; until then nobody would take care of it.
  stream.catch(() => {});
  return read(stream);
}

async function* read(opening: Promise<NodeJS.ReadableStream>): AsyncGenerator<ContainerEvent> {
  try {
    for await (const { Action, Actor } of jsonLines(await opening, Event)) {
      yield { id: Actor.ID, labels: Actor.Attributes, type: Action };
    }
  } catch (error) {
    // The engine went away or the listener did. Both end the stream; only what we do not understand is a failure.
    if (error instanceof z.ZodError || error instanceof SyntaxError) throw error;
  }
}
