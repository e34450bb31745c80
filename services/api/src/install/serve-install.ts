// What a new machine fetches before it joins: the script and the release of this api, so that versions fit. A join token opens both and
// is not used up. All other callers get one answer, and their look-ups share one lane, as those of unknown keys do.
import { open } from 'node:fs/promises';
import { createBatchLane } from '@berth/database';
import { areGoodJoinTokens, joinTokenDigest } from '@berth/identity';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { readBearer } from '../http/identify.ts';
import { installErrors } from './errors.ts';
import { joinScript } from './join-script.ts';

const maxWaiting = 200;

export function serveInstall(server: FastifyInstance, dependencies: Dependencies): void {
  const { config, database, headers, placement } = dependencies;
  const { archive, nodeUrl, gateways } = config.install;
  const lane = createBatchLane((digests: readonly Buffer[]) => areGoodJoinTokens(database, digests), { maxWaiting });

  async function requireJoinToken(request: FastifyRequest): Promise<void> {
    const token = readBearer(request.headers, headers.authorization.toLowerCase());
    const digest = token === undefined ? undefined : joinTokenDigest(token);
    if (digest === undefined || !(await lane.ask(digest))) throw installErrors.join_token_refused();
  }

  server.get('/install/join', { onRequest: requireJoinToken }, async (_, reply) => {
    if (archive === undefined || nodeUrl === undefined) throw installErrors.install_unavailable();
    const sandboxImage = placement.sandboxes.defaultImage;
    const script = await joinScript({ apiUrl: dependencies.apiUrl, nodeUrl, gateways, sandboxImage });
    return reply.type('text/x-shellscript; charset=utf-8').send(script);
  });

  server.get('/install/release', { onRequest: requireJoinToken }, async (_, reply) => {
    if (archive === undefined) throw installErrors.install_unavailable();
    const file = await open(archive).catch((cause: unknown) => {
      throw installErrors.install_unavailable({}, cause);
    });
    const { size } = await file.stat();
    // Closes the file at its end, and when the client goes away.
    return reply.type('application/gzip').header('content-length', size).send(file.createReadStream());
  });
}
