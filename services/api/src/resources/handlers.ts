// The uniform operations of every kind, each answered by the verb's one implementation.
import { type Kind, kindOperations, resourceErrors, type Verb } from '@berth/contract';
import { type ReadCall, type Registration, read, type WriteCall, write } from '../http/call.ts';
import { createResource, type ResourceBody } from './create.ts';
import { deleteResource } from './delete.ts';
import { getByExternalId, getResource, getRevisions } from './get.ts';
import { listResources } from './list.ts';
import { replaceResource } from './replace.ts';

const reads: Partial<Record<Verb, (call: ReadCall, kind: Kind) => Promise<unknown>>> = {
  list: listResources,
  get: getResource,
  revisions: getRevisions,
  byExternalId: getByExternalId,
};

const itemName = (call: WriteCall, kind: Kind): string => (call.params as Record<string, string>)[kind.param] ?? '';

const writes: Partial<Record<Verb, (call: WriteCall, kind: Kind) => Promise<unknown>>> = {
  create: (call, kind) => createResource(refusingUpload(call), kind, call.body as ResourceBody),
  replace: (call, kind) => replaceResource(refusingUpload(call), kind, itemName(call, kind), call.body as ResourceBody),
  delete: (call, kind) => deleteResource(call, kind, itemName(call, kind)),
};

function refusingUpload(call: WriteCall): WriteCall {
  if ((call.query as { upload?: boolean }).upload === true) throw resourceErrors.upload_unavailable();
  return call;
}

export const resourceHandlers: readonly Registration[] = kindOperations.map(({ kind, verb, operation }) => {
  const reader = reads[verb];
  if (reader !== undefined) return read(operation, (call) => reader(call, kind));
  const writer = writes[verb];
  if (writer === undefined) throw new Error(`no implementation of ${verb}`);
  return write(operation, (call) => writer(call, kind));
});
