import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { type RawOptions, rawRequest } from '../../../tests/harness/raw-request.ts';
import { temporaryFolder } from '../../../tests/harness/temporary-folder.ts';

/** A guest with its own working directory, home and state folder. */
export async function startTestGuest(variables: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const [work, home, state] = ['work', 'home', 'state'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [work, home, state]) await mkdir(path);
  const served = await serveGuestInProcess(
    { SANDBOX_LOG_DIR: state, HOME: home, DISABLE_REQUEST_LOGGING: '1', ...variables },
    work,
  );
  return {
    ...served,
    work,
    home,
    state,
    ask: (path: string, options?: RawOptions) => rawRequest(served.url, path, options),
    put: (path: string, body: Buffer | string | object) => rawRequest(served.url, path, { method: 'PUT', body }),
    /** The route of an absolute path, as clients write it. */
    at: (path: string) => `/filesystem/${encodeURIComponent(path)}`,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

export type TestGuest = Awaited<ReturnType<typeof startTestGuest>>;
