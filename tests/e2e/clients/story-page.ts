// The story in a page: the client is bundled for browsers, and the page comes from an origin of its own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'rolldown';
import { startBrowser } from '../../harness/browser.ts';
import type { Step, StorySettings } from './sandbox-story.ts';

export interface StoryPage extends AsyncDisposable {
  take(step: Step): Promise<void>;
}

export async function openStoryPage(settings: StorySettings): Promise<StoryPage> {
  await using made = new AsyncDisposableStack();
  const script = await bundle();
  const server = createServer((request, response) => {
    const isScript = request.url === '/story.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? script : `<!doctype html><script src="/story.js"></script>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  made.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const browser = made.use(await startBrowser());
  const page = await browser.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await page.run(`globalThis.taken = story.startStory(${JSON.stringify(settings)}), undefined`);
  const kept = made.move();
  return {
    async take(step) {
      await page.run(`taken[${JSON.stringify(step)}]()`);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A script that gives the page `story`. */
async function bundle(): Promise<string> {
  const { output } = await build({
    input: join(import.meta.dirname, 'sandbox-story.ts'),
    platform: 'browser',
    logLevel: 'warn',
    write: false,
    output: { format: 'iife', name: 'story' },
  });
  return output[0].code;
}
