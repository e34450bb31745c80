import type { Installation } from '../install/installation.ts';
import { Fault } from '../machine/fault.ts';
import { type FileRights, writeWholeFile } from '../machine/write-file.ts';

/** For settings that the operator has edited: they stay, and those that the flags ask for are written beside them. */
export async function proposeSettings(
  { places: { settings } }: Pick<Installation, 'places'>,
  wanted: string | undefined,
  rights: FileRights,
): Promise<never> {
  if (wanted === undefined)
    throw new Fault(
      `${settings} was edited and does not hold the master key any more, so settings for the new flags cannot be made.`,
      `change ${settings} by hand, then run: berth-server up, without the new flags`,
    );
  const proposal = `${settings}.proposed`;
  await writeWholeFile(proposal, wanted, rights);
  throw new Fault(
    `${settings} was edited, and the new flags need other settings. They are in ${proposal}.`,
    `diff ${settings} ${proposal}; then: mv ${proposal} ${settings}, and run the same command again`,
  );
}
