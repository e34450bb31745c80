import { maxPartNumber, type PartReceipt } from '@berth/contract/guest';
import { receiveForm } from '../files/receive-form.ts';
import { withFaults } from '../files/system-fault.ts';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { drain } from '../http/drain.ts';
import { Fault } from '../http/fault.ts';
import { uploadsOf } from './uploads-of.ts';

export async function receiveUploadPart(call: Call): Promise<void> {
  const { uploadId = '' } = call.params;
  try {
    const partNumber = partNumberIn(call.query);
    const receipt: PartReceipt = await withFaults('write', `part ${partNumber}`, () =>
      uploadsOf(call.guest).receive(uploadId, partNumber, async (write) => {
        await receiveForm(call.request, async (bytes) => {
          for await (const chunk of bytes) await write(chunk);
        });
      }),
    );
    answerJson(call, receipt);
  } catch (error) {
    await drain(call.request);
    throw error;
  }
}

function partNumberIn(query: URLSearchParams): number {
  const text = query.get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= maxPartNumber) return number;
  throw new Fault(400, `partNumber is ${JSON.stringify(text)}. Give a number from 1 to ${maxPartNumber}.`);
}
