// Receives a multipart form with one file: the file is streamed on as it arrives, other fields are kept in memory.
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { drain } from '../http/drain.ts';
import { Fault } from '../http/fault.ts';
import { isForm } from './is-form.ts';

const maxFieldBytes = 64 * 1024;
const maxFields = 100;
const bufferBytes = 256 * 1024;

/**
 * Calls `takeFile` with the first field `file` that has a file name, and resolves when the form has ended and the file
 * is taken. Other fields may come before or after it.
 */
export async function receiveForm(
  request: IncomingMessage,
  takeFile: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  const form = formOf(request);
  const files: Readable[] = [];
  let taken: Promise<void> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      form.on('field', (name, value) => void fields.set(name, value));
      form.on('file', (name, file) => {
        // Without a listener an error of the stream would end the guest.
        file.on('error', () => undefined);
        if (name !== 'file' || taken !== undefined) {
          file.resume();
          return;
        }
        files.push(file);
        taken = takeFile(file);
        taken.catch(reject);
      });
      form.on('finish', resolve);
      form.on('error', (error) =>
        reject(new Fault(400, 'The form is cut short or malformed. Send it again.', { cause: error })),
      );
      request.on('error', reject);
      request.on('close', () => {
        if (!request.complete) reject(new Fault(400, 'The connection ended before the form did. Send it again.'));
      });
      request.pipe(form);
    });
    if (taken === undefined) throw noFile();
    await taken;
    return fields;
  } catch (error) {
    request.unpipe(form);
    for (const file of files) file.destroy(new Error('The form failed.'));
    await taken?.catch(() => undefined);
    await drain(request);
    throw error;
  }
}

function formOf(request: IncomingMessage): BusboyInstance {
  const contentType = request.headers['content-type'];
  if (contentType === undefined || !isForm(request)) throw notAForm();
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': contentType },
      isPartAFile: (_name, _type, fileName) => Boolean(fileName),
      highWaterMark: bufferBytes,
      fileHwm: bufferBytes,
      limits: { fieldSize: maxFieldBytes, fields: maxFields },
    });
  } catch (error) {
    throw new Fault(400, 'The form names no boundary. Let the client set Content-Type itself.', { cause: error });
  }
}

const noFile = () => new Fault(400, 'The form has no field "file" with a file name. Send the contents as that field.');
const notAForm = () => new Fault(400, 'The body is not multipart/form-data. Send a form with a field "file".');
