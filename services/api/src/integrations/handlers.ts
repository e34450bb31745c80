import { getIntegration, listConnectionEndpoints, requestErrors } from '@berth/contract';
import { z } from 'zod';
import { type Registration, read } from '../http/call.ts';
import { findLive } from '../resources/record.ts';
import { findIntegration } from './catalogue.ts';

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
];
