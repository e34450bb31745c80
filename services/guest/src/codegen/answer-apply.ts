import { ApplyEditRequest } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import { type Call, whenCallerLeaves } from '../http/call.ts';
import { readJson } from '../http/read-body.ts';
import { resolveWildcard } from '../paths.ts';
import { applyEdit } from './apply-edit.ts';

export async function answerApply(call: Call): Promise<void> {
  const { settings } = call.guest;
  const path = resolveWildcard(call.rest, settings);
  const { codeEdit, model } = await readJson(call, ApplyEditRequest);
  const request = { path, codeEdit, instruction: '', model };
  answerJson(call, await applyEdit(settings.applyProvider, request, whenCallerLeaves(call)));
}
