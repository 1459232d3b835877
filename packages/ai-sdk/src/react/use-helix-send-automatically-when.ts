import { useState } from 'react';
import { createHelixSendAutomaticallyWhen } from '../client/send-automatically.ts';

/** `createHelixSendAutomaticallyWhen` for one mounted chat: it remembers what it has sent. */
export function useHelixSendAutomaticallyWhen(): ReturnType<
  typeof createHelixSendAutomaticallyWhen
> {
  return useState(createHelixSendAutomaticallyWhen)[0];
}
