import { listen, routesChannel } from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { createNoticeLog } from './notice-log.ts';

/** Receives notices about changed resources, on a connection of its own. */
export function listenForNotices(databaseUrl: string, logger: Logger) {
  const notices = createNoticeLog();
  const listener = listen({
    url: databaseUrl,
    channel: routesChannel,
    onNotification: notices.record,
    onError: (err) =>
      logger.warn({ err }, 'listening for route changes failed; changes are found by query within a second'),
  });
  return { notices, close: () => listener.close() };
}
