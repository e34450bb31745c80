import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImage } from '../../engines/build-image.ts';

const folder = dirname(fileURLToPath(new URL('../e2e/inference/echo/server.mjs', import.meta.url)));

/** An agent that echoes its request and adds its WORD. */
export const echoImage = 'berth-echo:latest';

export async function buildEchoImage(dockerUrl: string): Promise<string> {
  await buildImage(dockerUrl, echoImage, folder);
  return echoImage;
}
