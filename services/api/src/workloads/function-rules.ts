// Function: an MCP server. Control-plane sheet 2.5; decisions: function without an image.
import { mcpFunction } from '@berth/contract';
import { hubImageFor } from '../platform/mcp-hub.ts';
import type { ResourceRow } from '../resources/record.ts';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { claimHostLabel, moveHostLabel, workloadUrl } from '../rules/host-labels.ts';
import { checkImage } from '../rules/image-reference.ts';
import { checkGeneration } from '../rules/isolation.ts';
import { checkMemory } from '../rules/memory-limit.ts';
import { requireConnections, requirePolicies } from '../rules/references.ts';
import { checkRegion, withoutAuto } from '../rules/regions.ts';
import { section, textOf, textsOf } from '../rules/spec-fields.ts';
import { newCallbackSecret } from './callback-secret.ts';
import { triggerPathsOf } from './trigger-paths.ts';
import { completeTriggers, showNewSecrets } from './triggers.ts';

const paths = triggerPathsOf('function');

export const functionRules: KindRules = {
  kind: mcpFunction,
  served: true,
  normalize: (spec) => paths.plain(withoutAuto(spec)),
  beforeCreate: (context, draft) => complete(context, draft),
  async afterCreate(context, row) {
    await paths.store(context.tx, row);
    return claimHostLabel(context, 'mcp', row);
  },
  async beforeReplace(context, draft, previous) {
    await complete(context, draft, previous);
    await moveHostLabel(context, 'mcp', draft, previous);
  },
  async afterReplace({ tx }, row) {
    await paths.store(tx, row);
    return row;
  },
  beforeDelete: ({ tx }, row) => paths.free(tx, row),
  render: { one: workloadUrl, onWrite: showNewSecrets },
};

async function complete(context: RuleContext, draft: Draft, previous?: ResourceRow): Promise<void> {
  checkRegion(context, draft);
  checkMemory(context, section(draft.spec, 'runtime').memory);
  await checkImage(context, 'spec.runtime.image', section(draft.spec, 'runtime').image);
  checkGeneration(context, 'workload', section(draft.spec, 'runtime').generation);
  await requirePolicies(context, draft.spec, previous?.spec);
  const connections = await requireConnections(context, draft.spec);
  const forTests = connections.find(({ spec }) => spec.sandbox === true);
  if (forTests !== undefined) throw kindErrors.test_connection({ name: forTests.name });
  draft.spec = completeTriggers(draft.spec, previous?.spec ?? {}, newCallbackSecret);
  draft.events.push(...paths.idleWarnings(draft.spec, previous?.spec));
  fillHubImage(draft, connections);
}

/** The first connection determines the server's image; further connections only provide secrets. */
function fillHubImage(draft: Draft, connections: readonly ResourceRow[]): void {
  const runtime = section(draft.spec, 'runtime');
  const [first] = textsOf(draft.spec.integrationConnections);
  const connection = connections.find(({ name }) => name === first);
  if (connection === undefined || textOf(runtime.image) !== undefined) return;
  const integration = textOf(connection.spec.integration) ?? '';
  const entry = hubImageFor(integration);
  if (entry === undefined) {
    const field = 'spec.integrationConnections';
    throw kindErrors.no_hub_image({ field, connection: connection.name, integration });
  }
  // The hub knows the server but has not published its image: the function waits like any function without an image.
  if (entry.image === undefined) return;
  draft.spec = { ...draft.spec, runtime: { ...runtime, image: entry.image } };
}
