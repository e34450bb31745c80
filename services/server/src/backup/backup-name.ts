// Names of the folders of backups. They hold the time, so that old ones are found without opening them.

export const partialSuffix = '.partial';
const pattern = /^berth-(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3})Z(\.partial)?$/;

/** Without colons, which some file systems and programs do not take. */
export const backupName = (now: Date): string => `berth-${now.toISOString().replaceAll(':', '-')}`;

/** Undefined for a name that is none of ours. */
export function timeOf(name: string): Date | undefined {
  const [, hour, minute, second] = pattern.exec(name) ?? [];
  return hour === undefined ? undefined : new Date(`${hour}:${minute}:${second}Z`);
}
