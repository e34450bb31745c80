// Errors of single kinds.
import { defineErrors } from '@berth/contract';

export const kindErrors = defineErrors({
  path_taken: {
    status: 409,
    message:
      'The path {path} is taken by the {kind} {name} of this workspace. Choose another path, or remove it there first.',
  },
  other_region: {
    status: 400,
    message:
      '{field} names the {kind} {name}, which is in the region {there} while this is in {here}. Use one of the same region.',
  },
  region_required: {
    status: 400,
    message: '{field} is needed beside {because}. Choose one of: {regions}.',
  },
  volume_attached: {
    status: 409,
    message: 'The volume {name} is reserved for {attachedTo}. Delete that first, or use another volume.',
  },
  default_vpc: {
    status: 409,
    message: 'The VPC default belongs to the workspace and stays with it. Delete the VPCs that you created instead.',
  },
  no_egress_pool: {
    status: 409,
    message:
      'The region {region} has no {family} addresses to give out. Ask the operator to add a range to regions[].egressPools, or use a gateway of another region.',
  },
  egress_pool_exhausted: {
    status: 409,
    message:
      'All {family} addresses of the region {region} are in use. Release an egress IP, or ask the operator to add a range to regions[].egressPools.',
  },
  domain_taken: {
    status: 409,
    message:
      'The domain {name}, or one above it, is registered already. Remove it where it is registered, or choose another domain.',
  },
  domain_not_verified: {
    status: 400,
    message:
      'spec.urls names the custom domain {name}, which is not verified. Set its DNS records and verify it first.',
  },
  policy_type: {
    status: 400,
    message:
      '{field} counts only in a policy whose spec.type is {wanted}, so nothing would be restricted. Set the type, or leave {field} out.',
  },
  token_limit_missing: {
    status: 400,
    message:
      'spec.type is maxToken, and {missing} is missing. Set spec.maxTokens.granularity, and at least one of input, output and total beside it to more than 0.',
  },
  token_policy_kinds: {
    status: 400,
    message:
      'spec.resourceTypes names {kinds}, and a policy of type maxToken limits models only. Name model alone, or leave the list out.',
  },
  token_policy_elsewhere: {
    status: 400,
    message:
      'spec.policies names {name}, whose type is maxToken: it limits the tokens of models, and a {kind} uses none. Name it in the models that the {kind} calls.',
  },
  policy_not_for_models: {
    status: 400,
    message:
      'spec.policies names {name}, whose type is not maxToken: it limits where workloads run, and a model runs at its provider. Leave it out.',
  },
  policy_not_for_kind: {
    status: 400,
    message:
      'spec.policies names {name}, which is only for: {allowed}. Use another policy, or add {kind} to its spec.resourceTypes.',
  },
  no_provider: {
    status: 400,
    message:
      'spec.runtime.type is {type}, which no provider of models serves, so its connections could not be used. Choose one of: {types}.',
  },
  provider_not_served: {
    status: 400,
    message: 'spec.runtime.type is {type}, which is not served: {reason}',
  },
  test_connection: {
    status: 400,
    message:
      'spec.integrationConnections names {name}, which holds credentials for tests (spec.sandbox). Only models use such a connection: name another one.',
  },
  secret_for_other_address: {
    status: 400,
    message:
      'The change would send the stored values of spec.secret to another address than before. Send the values again, or leave {fields} as they are.',
  },
  only_version: {
    status: 400,
    message: '{version} is the only version of {name}. Delete the whole template instead.',
  },
  no_hub_image: {
    status: 400,
    message:
      '{field} names {connection}, whose integration is {integration}. The MCP hub has no server for it: set spec.runtime.image.',
  },
  runc_not_allowed: {
    status: 400,
    message:
      'spec.runtime.generation is mk2, which shares the kernel of its machine with others; this deployment does not allow that for a {kind} (placement.runcFor). Leave it out, or use mk3.',
  },
  creation_in_progress: {
    status: 409,
    message:
      'A sandbox named {name} is being created by another request. Read it until it is ready, or choose another name.',
  },
  image_required: {
    status: 400,
    message:
      'spec.runtime.image is missing, and this deployment has no default. Name an image, or ask the operator to set placement.sandboxes.defaultImage.',
  },
  host_name_taken: {
    status: 409,
    message: 'No free host name was found for {name}. Choose another name.',
  },
});
