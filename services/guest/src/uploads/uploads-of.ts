import { join } from 'node:path';
import { unfinishedTransfersIn } from '../files/unfinished-transfers.ts';
import type { Guest } from '../guest.ts';
import { Uploads } from './uploads.ts';

const sweepIntervalMs = 60 * 60 * 1000;

const known = new WeakMap<Guest, Uploads>();

/** One per guest, made by the first call together with the timer that deletes abandoned uploads. */
export function uploadsOf(guest: Guest): Uploads {
  const existing = known.get(guest);
  if (existing !== undefined) return existing;
  const uploads = new Uploads({
    folder: join(guest.settings.stateFolder, 'uploads'),
    unfinished: unfinishedTransfersIn(guest.settings.stateFolder),
  });
  known.set(guest, uploads);
  const sweep = () =>
    void uploads.sweep().catch((error: unknown) => {
      guest.log.line('guest', {
        level: 'error',
        error: `upload sweep failed; the next one runs in an hour: ${String(error)}`,
      });
    });
  sweep();
  const timer = setInterval(sweep, sweepIntervalMs).unref();
  guest.stopping.addEventListener('abort', () => clearInterval(timer), { once: true });
  return uploads;
}
