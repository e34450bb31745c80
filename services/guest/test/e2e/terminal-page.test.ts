// The terminal page of a sandbox in a real browser: typed commands run inside the sandbox, and the page shows their
// output.
import { expect, test } from 'vitest';
import { startBrowser } from '../../../../tests/harness/browser.ts';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { useGuestDocker } from './guest-docker.ts';

const docker = useGuestDocker();
const shown = `document.querySelector('.xterm-rows')?.textContent ?? ''`;

test('the terminal’s page shows a shell that runs the typed commands', async () => {
  await using container = await startGuestContainer(docker.url, { image: docker.image, runtime: 'runc' });
  await using browser = await startBrowser();
  const page = await browser.open(`${container.url}/terminal`);
  await page.until(`(${shown}).includes('#')`);
  await page.run(`document.querySelector('.xterm-helper-textarea').focus()`);
  await page.type('echo sum-$((20+22))');
  await page.press('Enter');
  await page.until(`(${shown}).includes('sum-42')`);
  expect(page.errors).toEqual([]);
});
