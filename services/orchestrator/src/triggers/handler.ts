import { cronMessage, defineHandler, type Handler, type KeyOnly } from '@berth/durable';
import type { Dependencies } from '../run/dependencies.ts';
import { minuteText } from './plan-tick.ts';
import { startDue } from './start-due.ts';

export function cronHandler(dependencies: Dependencies): Handler<KeyOnly> {
  return defineHandler({
    ...cronMessage,
    // Short retries, so that a tick is not much later than its minute.
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send }) {
      const { ticks, timers } = await startDue(dependencies, key);
      for (const { triggerId, tickAt, outcome } of ticks)
        logger.info({ job: key, trigger: triggerId, tick: minuteText(tickAt), outcome }, 'schedule was due');
      for (const { delayMs, id } of timers) send(cronMessage, key, {}, { delayMs, dedupe: id });
    },
  });
}
