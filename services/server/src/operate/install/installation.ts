// The installation that a command works on: its places, its record and the programs of the machine.
import { type Places, placesBelow } from '../machine/places.ts';
import { type RunProgram, runProgram } from '../machine/run-program.ts';
import { type InstallRecord, readRecord, writeRecord } from './install-record.ts';

export interface Installation {
  readonly places: Places;
  readonly run: RunProgram;
  print(line: string): void;
  /** Undefined until the settings are written. */
  record(): InstallRecord | undefined;
  /** Saved before the change that it describes, so that an uninstall after a kill finds it. */
  save(record: InstallRecord): Promise<void>;
}

export async function openInstallation(
  print: (line: string) => void,
  places = placesBelow('/'),
  run = runProgram,
): Promise<Installation> {
  let record = await readRecord(places.record);
  return {
    places,
    run,
    print,
    record: () => record,
    async save(next) {
      await writeRecord(places.record, next);
      record = next;
    },
  };
}
