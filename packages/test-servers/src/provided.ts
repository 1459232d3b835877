declare module 'vitest' {
  export interface ProvidedContext {
    /** Where test files ask for the servers of this run. */
    testServersUrl: string;
  }
}

export {};
