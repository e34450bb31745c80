import {
  getConnectionModel,
  getIntegration,
  listConnectionEndpoints,
  listConnectionModels,
  requestErrors,
} from '@berth/contract';
import { z } from 'zod';
import { type Registration, read, readThen } from '../http/call.ts';
import { findLive } from '../resources/record.ts';
import { findIntegration } from './catalogue.ts';
import { listModels, openConnection } from './list-models.ts';

const ConnectionSpec = z.object({ integration: z.string().default('') });

export const integrationHandlers: readonly Registration[] = [
  read(getIntegration, async ({ params }) => {
    const found = findIntegration(params.integrationName);
    if (found === undefined) throw requestErrors.not_found();
    return found;
  }),
  read(listConnectionEndpoints, async ({ database, workspace, params }) => {
    const scope = { workspaceId: workspace.id, kind: 'integrationconnection' };
    const connection = await findLive(database, scope, params.connectionName);
    if (connection === undefined) throw requestErrors.not_found();
    return findIntegration(ConnectionSpec.parse(connection.spec).integration)?.endpoints ?? {};
  }),
  readThen(listConnectionModels, (call) => openConnection(call, call.params.connectionName), listModels),
  readThen(
    getConnectionModel,
    (call) => openConnection(call, call.params.connectionName),
    async (call, connection) => {
      // Read from the list, because each provider describes single models in a form of its own.
      const found = (await listModels(call, connection)).find(({ id }) => id === call.params.modelId);
      if (found === undefined) throw requestErrors.not_found();
      return found;
    },
  ),
];
