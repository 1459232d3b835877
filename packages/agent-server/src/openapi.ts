import { z } from 'zod';
import type { AnswerShape, AnyRoute } from './http/route.ts';
import { ErrorAnswer, SessionId } from './schemas.ts';

type JsonSchema = { readonly [key: string]: unknown };

/** The part of OpenAPI 3.1 this server uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: { readonly [path: string]: { readonly [method: string]: OpenApiOperation } };
  readonly components: { readonly [part: string]: unknown };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly security: readonly JsonSchema[];
  readonly parameters: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  readonly responses: { readonly [status: string]: JsonSchema };
}

/** Built from the table that requests are routed by, so it shows every route. */
export function openApiDocument(routes: readonly AnyRoute[], title: string): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operationOf(route);
  }
  const bearer = { type: 'http', scheme: 'bearer' };
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    paths,
    components: { securitySchemes: { bearer }, schemas: { Error: toJsonSchema(ErrorAnswer) } },
  };
}

function operationOf(route: AnyRoute): OpenApiOperation {
  const responses = Object.entries(route.answers).map(([status, shape]) => [
    status,
    answerOf(shape),
  ]);
  return {
    operationId: operationId(route),
    summary: route.summary,
    security: route.operation === null ? [] : [{ bearer: [] }],
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body && {
      requestBody: requestBodyOf(bodySchemaOf(route, toJsonSchema(route.body))),
    }),
    responses: Object.fromEntries(responses) as { [status: string]: JsonSchema },
  };
}

/** The path names the session of a body that leaves it out. */
function bodySchemaOf({ path }: AnyRoute, schema: JsonSchema): JsonSchema {
  const { required, ...rest } = schema as { readonly required?: readonly string[] };
  if (!required || !path.includes('{sessionId}')) return schema;
  const left = required.filter((name) => name !== 'sessionId');
  return left.length > 0 ? { ...rest, required: left } : rest;
}

/** A body without required fields may be left out. */
function requestBodyOf(schema: JsonSchema): JsonSchema {
  return { required: Array.isArray(schema['required']), content: jsonContent(schema) };
}

/** `POST /chat/{sessionId}/abort` is `postChatAbort`. */
function operationId({ method, path }: AnyRoute): string {
  const words = path.split(/[/.-]/).filter((word) => word !== '' && !word.startsWith('{'));
  const suffix = path.endsWith('}') ? 'ById' : '';
  const name = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('');
  return `${method.toLowerCase()}${name}${suffix}`;
}

function pathParameters({ path }: AnyRoute): JsonSchema[] {
  if (!path.includes('{sessionId}')) return [];
  return [{ name: 'sessionId', in: 'path', required: true, schema: toJsonSchema(SessionId) }];
}

function queryParameters({ query }: AnyRoute): JsonSchema[] {
  if (!query) return [];
  const { properties = {}, required = [] } = toJsonSchema(query) as {
    properties?: { [name: string]: JsonSchema };
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

function headerParameters({ operation }: AnyRoute): JsonSchema[] {
  if (operation !== 'sse') return [];
  const schema = { type: 'string', pattern: '^([0-9]{1,15})?$' };
  return [{ name: 'Last-Event-ID', in: 'header', required: false, schema }];
}

function answerOf({ description, schema, contentType }: AnswerShape): JsonSchema {
  if (schema === ErrorAnswer) return { description, content: jsonContent(ERROR) };
  if (schema) return { description, content: jsonContent(toJsonSchema(schema)) };
  return { description, ...(contentType !== undefined && { content: { [contentType]: {} } }) };
}

const ERROR: JsonSchema = { $ref: '#/components/schemas/Error' };

function jsonContent(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
