// The official schema of OTLP, and a program that reads a request in its JSON form by it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { createPythonEnvironment } from './python.ts';

const version = '1.45.2';

const folder = async (): Promise<string> => join(await engineFolder('otlp-schema'), version);

export const otlpSchema: Installable = {
  name: 'otlp-schema',
  install: async () => createPythonEnvironment(await folder(), [`opentelemetry-proto==${version}`]),
};

// OTLP writes ids in hexadecimal, where the JSON form of Protocol Buffers has base64. Unknown fields are errors.
const program = `
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
request = json.load(sys.stdin)
for resource in request["resourceSpans"]:
    for scope in resource["scopeSpans"]:
        for span in scope["spans"]:
            for name, size in (("traceId", 16), ("spanId", 8), ("parentSpanId", 8)):
                if name in span:
                    value = bytes.fromhex(span[name])
                    assert len(value) == size, name
                    span[name] = base64.b64encode(value).decode()
parsed = json_format.ParseDict(request, ExportTraceServiceRequest())
print(sum(len(scope.spans) for resource in parsed.resource_spans for scope in resource.scope_spans))
`;

/** Number of spans in the request. Throws where the schema does not allow it. */
export async function countSpans(request: string): Promise<number> {
  await otlpSchema.install();
  const python = join(await folder(), 'bin', 'python');
  return Number(execFileSync(python, ['-c', program], { input: request, encoding: 'utf8', maxBuffer: 2 ** 26 }));
}
