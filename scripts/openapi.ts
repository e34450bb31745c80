// pnpm --silent openapi [file]: writes the interface as OpenAPI to a file or to standard output.
import { writeFileSync } from 'node:fs';
import { Brand, openApiDocument } from '@berth/contract';

const exampleUrl = 'http://localhost:8080';
const document = openApiDocument({
  brand: Brand.parse({}),
  apiUrl: exampleUrl,
  baseUrl: `${exampleUrl}/v0`,
  gatewayUrl: 'http://localhost:8090',
});
const text = `${JSON.stringify(document, null, 2)}\n`;

const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(text);
else writeFileSync(file, text);
