import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument, OpenApiOperation } from '../src/index.ts';

const ajv = new Ajv2020({ strict: false });
const compiled = new WeakMap<object, ValidateFunction>();

/** Throws unless the document says that this route may answer like this. Returns the text of the answer. */
export async function checkAnswer(
  document: OpenApiDocument,
  call: { readonly method: string; readonly path: string },
  answer: Response,
): Promise<string> {
  const operation = findOperation(document, call);
  const where = `${call.method} ${call.path.slice(0, 100)} -> ${answer.status}`;
  const documented = operation?.responses[answer.status];
  const text = await answer.text();
  insist(documented, `${where} is not in the document: ${text.slice(0, 300)}`);
  const content = (documented?.['content'] ?? {}) as { [type: string]: { schema?: object } };
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  if (Object.keys(content).length === 0) {
    insist(text === '', `${where} has a body`);
    return text;
  }
  insist(Object.hasOwn(content, type), `${where} is ${type}`);
  const schema = content[type]?.schema;
  if (schema) validate(resolve(document, schema), JSON.parse(text), where);
  return text;
}

function validate(schema: object, value: unknown, where: string): void {
  const check = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, check);
  insist(check(value), `${where}: ${ajv.errorsText(check.errors)}`);
}

function insist(condition: unknown, fault: string): asserts condition {
  if (!condition) throw new Error(fault);
}

/** References point to the document's own parts, one level deep. */
export function resolve({ components }: OpenApiDocument, schema: object): object {
  if (!('$ref' in schema)) return schema;
  const name = String(schema.$ref).replace('#/components/schemas/', '');
  return (components['schemas'] as { [name: string]: object })[name]!;
}

function findOperation(
  { paths }: OpenApiDocument,
  { method, path }: { readonly method: string; readonly path: string },
): OpenApiOperation | undefined {
  const [bare = ''] = path.split('?');
  const pattern = bare.replace(/^\/(sessions|chat)\/[^/]+/, '/$1/{sessionId}');
  return (paths[bare] ?? paths[pattern])?.[method.toLowerCase()];
}
