import { Fault } from '../machine/fault.ts';
import type { InstallRecord } from './install-record.ts';
import type { Installation } from './installation.ts';

export function requireRecord({ record, places }: Pick<Installation, 'record' | 'places'>): InstallRecord {
  const found = record();
  if (found !== undefined) return found;
  throw new Fault(`There is no installation on this machine: ${places.record} does not exist.`, 'berth-server up');
}
