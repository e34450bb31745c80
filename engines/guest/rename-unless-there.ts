import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';

/** When two processes make the same folder at once, the slower one leaves the existing folder in place. */
export async function renameUnlessThere(staging: string, folder: string): Promise<void> {
  try {
    await rename(staging, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}
