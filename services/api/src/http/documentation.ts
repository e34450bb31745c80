// Serves the OpenAPI document and a reference page, both without any other host.
import { openApiDocument } from '@berth/contract';
import reference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { gatewayUrl } from '../config.ts';
import type { Dependencies } from '../dependencies.ts';
import { prefix } from './known-paths.ts';

export async function addDocumentation(server: FastifyInstance, dependencies: Dependencies): Promise<void> {
  let document: string | undefined;
  server.get(`${prefix}/openapi.json`, async (_request, reply) => {
    const { baseUrl, apiUrl, config } = dependencies;
    const addresses = { baseUrl, apiUrl, gatewayUrl: gatewayUrl(config) };
    document ??= JSON.stringify(openApiDocument({ brand: config.brand, ...addresses }));
    return reply.type('application/json; charset=utf-8').send(document);
  });
  await server.register(reference, {
    routePrefix: '/docs',
    // Every option that would call a host on the internet is off: the page must work without internet access.
    configuration: {
      url: `${prefix}/openapi.json`,
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      mcp: { disabled: true },
      agent: { disabled: true },
    },
  });
}
