// The uniform operations of every kind; each verb has one implementation.
import { type Kind, kindOperations, resourceErrors, type UniformOperation, type Verb } from '@berth/contract';
import { type ReadCall, type Registration, read, type WriteCall, write } from '../http/call.ts';
import { createResource } from './create.ts';
import { deleteResource } from './delete.ts';
import { getByExternalId, getResource, getRevisions } from './get.ts';
import { listResources } from './list.ts';
import { replaceResource } from './replace.ts';

type UniformRead = (call: ReadCall<UniformOperation>, kind: Kind) => Promise<unknown>;
type UniformWrite = (call: WriteCall<UniformOperation>, kind: Kind) => Promise<unknown>;

const reads: Partial<Record<Verb, UniformRead>> = {
  list: listResources,
  get: getResource,
  revisions: getRevisions,
  byExternalId: getByExternalId,
};

const itemName = (call: WriteCall, kind: Kind): string => call.params[kind.param] ?? '';

const writes: Partial<Record<Verb, UniformWrite>> = {
  create: (call, kind) => createResource(refusingUpload(call), kind, call.body),
  replace: (call, kind) => replaceResource(refusingUpload(call), kind, itemName(call, kind), call.body),
  delete: (call, kind) => deleteResource(call, kind, itemName(call, kind)),
};

function refusingUpload(call: WriteCall<UniformOperation>): WriteCall {
  if (call.query.upload === true) throw resourceErrors.upload_unavailable();
  return call;
}

export const resourceHandlers: readonly Registration[] = kindOperations.map(({ kind, verb, operation }) => {
  const reader = reads[verb];
  if (reader !== undefined) return read(operation, (call) => reader(call, kind));
  const writer = writes[verb];
  if (writer === undefined) throw new Error(`no implementation of ${verb}`);
  return write(operation, (call) => writer(call, kind));
});
