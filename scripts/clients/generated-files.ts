// The generated files of the clients, by path from the root of the repository.
import { defaultBrand, openApiDocument } from '@berth/contract';
import { guestApiDocument } from '@berth/contract/guest';
import { calledOperations } from './called-operations.ts';
import { declaredTypes } from './type-model.ts';
import { typescriptOperations, typescriptTypes } from './write-typescript.ts';

const example = 'https://api.example';

export function generatedFiles(
  management = openApiDocument({ brand: defaultBrand, baseUrl: `${example}/v0`, apiUrl: example, gatewayUrl: example }),
  guest = guestApiDocument('1.0.0'),
): Readonly<Record<string, string>> {
  const typescript = 'clients/typescript/src/generated';
  const [ofManagement, ofGuest] = [declaredTypes(management), declaredTypes(guest)];
  const operations = calledOperations(management.paths);
  return {
    [`${typescript}/management.ts`]: typescriptTypes('management API', ofManagement),
    [`${typescript}/guest.ts`]: typescriptTypes('API inside a sandbox', ofGuest),
    [`${typescript}/operations.ts`]: typescriptOperations(operations),
  };
}
