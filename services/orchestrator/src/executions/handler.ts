import { defineHandler, executionMessage, type Handler, type KeyOnly } from '@berth/durable';

export const executionHandler: Handler<KeyOnly> = defineHandler({
  ...executionMessage,
  async handle({ key, logger }) {
    logger.debug({ execution: key }, 'execution not started, because jobs do not run yet; it stays queued');
  },
});
