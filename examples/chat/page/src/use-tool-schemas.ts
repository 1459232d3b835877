import { useEffect, useState } from 'react';
import type { JsonSchema } from './json-schema.ts';

export type ToolSchemas = { readonly [toolName: string]: JsonSchema };

/** What each tool takes in, for the fields of its card. Until it is here, fields are made from the values. */
export function useToolSchemas(): ToolSchemas {
  const [schemas, setSchemas] = useState<ToolSchemas>({});
  useEffect(() => {
    fetch('api/tools')
      .then(async (response) => {
        if (response.ok) setSchemas((await response.json()) as ToolSchemas);
      })
      .catch(() => undefined);
  }, []);
  return schemas;
}
