import { FileRequest, type SuccessResponse } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { readJson } from '../http/read-body.ts';
import { type ResolvedPath, resolveWildcard } from '../paths.ts';
import { isForm } from './is-form.ts';
import { makeDirectory } from './make-directory.ts';
import { parsePermissions } from './parse-permissions.ts';
import { type StagedFile, stageFile } from './stage-file.ts';
import { withFaults } from './system-fault.ts';
import { unfinishedTransfersIn } from './unfinished-transfers.ts';
import { writeFile } from './write-file.ts';

/** PUT of a path: a form uploads a file, anything else is JSON. */
export async function writePath(call: Call): Promise<void> {
  const path = resolveWildcard(call.rest, call.guest.settings);
  const message = isForm(call.request) ? await writeForm(call, path) : await writeJson(call, path);
  const body: SuccessResponse = { path: path.echoed, message };
  answerJson(call, body);
}

async function writeJson(call: Call, { absolute, echoed }: ResolvedPath): Promise<string> {
  const { content, isDirectory, permissions } = await readJson(call, FileRequest);
  const mode = parsePermissions(permissions);
  if (isDirectory) {
    await makeDirectory(absolute, { mode, echoed });
    return 'Directory created successfully';
  }
  await writeFile(absolute, content ?? '', { mode, echoed });
  return 'File written successfully';
}

/** Permissions are read after the whole form, because clients send them after the file. */
async function writeForm({ request, guest }: Call, { absolute, echoed }: ResolvedPath): Promise<string> {
  // Most writes are JSON, so the form parser loads with the first form.
  const { receiveForm } = await import('./receive-form.ts');
  let staged: StagedFile | undefined;
  try {
    const fields = await receiveForm(request, (bytes) =>
      withFaults('write', echoed, async () => {
        staged = await stageFile(absolute, unfinishedTransfersIn(guest.settings.stateFolder));
        for await (const chunk of bytes) await staged.write(chunk);
      }),
    );
    const mode = parsePermissions(fields.get('permissions'));
    await withFaults('write', echoed, async () => staged?.commit(mode));
  } finally {
    await staged?.discard();
  }
  return 'File uploaded successfully';
}
