import { Fault } from '../http/fault.ts';

export const newFileMode = 0o644;
export const newDirectoryMode = 0o755;

/** Octal text to a mode; undefined for no text. */
export function parsePermissions(text: string | null | undefined): number | undefined {
  const trimmed = text?.trim();
  if (!trimmed) return undefined;
  if (!/^0*[0-7]{1,4}$/.test(trimmed)) {
    throw new Fault(400, `permissions is ${JSON.stringify(text)}. Give octal digits, for example "644" or "0755".`);
  }
  return Number.parseInt(trimmed, 8);
}
