import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A reader finds the old text or the new one, never half of it, also after a crash. */
export async function writeFileAtomically(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.new`;
  const file = await open(draft, 'w', mode);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
