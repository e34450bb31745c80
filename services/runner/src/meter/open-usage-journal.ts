// Opens the journal, whatever its file is like: the runner has to start. A file that cannot be used is put aside for the
// operator. Where none can be written, the journal is in memory.
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@berth/telemetry';
import { UsageJournal } from './usage-journal.ts';

const fileName = 'usage.sqlite';
/** SQLite writes these beside the file. Left behind, they would be applied to the next one. */
const ownNames = [fileName, `${fileName}-wal`, `${fileName}-shm`];
/** The process before this one may still be closing the file. */
const lockTimeoutMs = 5_000;

export function openUsageJournal(stateFolder: string, logger: Logger): UsageJournal {
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    const isFirst = !readdirSync(stateFolder).some((name) => name.startsWith(fileName));
    return open(join(stateFolder, fileName), isFirst ? 0 : numberAfterLoss(), logger);
  } catch (err) {
    return replace(stateFolder, err, logger);
  }
}

/** Keeps the file: continuing it later would count again what this process is going to send. */
function replace(stateFolder: string, err: unknown, logger: Logger): UsageJournal {
  const ending = `.damaged-${Date.now()}`;
  logger.error({ err, ending }, 'journal of usage cannot be read; it is put aside, and a new one begins');
  try {
    const found = readdirSync(stateFolder).filter((name) => ownNames.includes(name));
    for (const name of found) renameSync(join(stateFolder, name), join(stateFolder, `${name}${ending}`));
    return open(join(stateFolder, fileName), numberAfterLoss(), logger);
  } catch (error) {
    const message = 'journal of usage cannot be written; usage that is not sent is lost when this process ends';
    logger.error({ err: error }, message);
    return open(':memory:', numberAfterLoss(), logger);
  }
}

/**
 * The numbers of a lost journal are not known, and a number must not be used twice. An instance has less than one interval
 * in a second, so none has reached the seconds of a calendar.
 */
const numberAfterLoss = (): number => Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1_000);

/** `firstNumber` is for a journal that does not exist yet. */
function open(file: string, firstNumber: number, logger: Logger): UsageJournal {
  const database = new DatabaseSync(file, { timeout: lockTimeoutMs });
  try {
    const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (found !== 'ok') throw new Error(`SQLite found: ${found}`);
    return new UsageJournal(database, firstNumber, logger);
  } catch (error) {
    database.close();
    throw error;
  }
}
