// Merges an edit sketch into a file through the configured model. The file is written only if the model's answer is
// complete and the file has not changed since the model received it.
import { stat } from 'node:fs/promises';
import type { ApplyEditResponse } from '@berth/contract/guest';
import { Fault } from '../http/fault.ts';
import type { ResolvedPath } from '../paths.ts';
import { type ApplyProvider, applyVariablesText } from './apply-provider.ts';
import { askProvider } from './ask-provider.ts';
import { changeFile, readText } from './change-file.ts';

const maxEditCharacters = 4 * 1024 * 1024;

export type EditRequest = { path: ResolvedPath; codeEdit: string; instruction: string; model: string | undefined };

/**
 * Faults: 400 for a directory, 413 for a too large file or edit, 422 when the provider fails, 503 without a provider.
 */
export async function applyEdit(
  provider: ApplyProvider | undefined,
  { path, codeEdit, instruction, model }: EditRequest,
  left: AbortSignal,
): Promise<ApplyEditResponse> {
  if (provider === undefined) {
    throw new Fault(
      503,
      `No provider for edits is configured in this sandbox. Set ${applyVariablesText}, then start it again.`,
    );
  }
  if (codeEdit.length > maxEditCharacters) {
    throw new Fault(413, 'The edit is larger than 4 MiB. Write the file itself instead (PUT /filesystem).');
  }
  if (await isDirectory(path.absolute)) {
    throw new Fault(400, `${path.echoed} is a directory. Name a file inside it.`);
  }
  const original = await readText(path);
  const merged = await askProvider(provider, { instruction, code: original ?? '', update: codeEdit, model }, left);
  left.throwIfAborted();
  await changeFile(path, (current) => {
    if (current === original) return merged;
    throw new Fault(422, `${path.echoed} was changed while the edit was merged, so nothing was written. Try again.`);
  });
  return {
    success: true,
    path: path.echoed,
    originalContent: original ?? '',
    updatedContent: merged,
    provider: provider.name,
    message: original === undefined ? 'File created successfully' : 'Edit applied successfully',
  };
}

const isDirectory = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
