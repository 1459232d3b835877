/** For authors of stores: the long surface of a state store (`loadState`, `saveState` …), built over any session store. */
export type { CheckpointsPage, CheckpointsRange } from './state-store/checkpoints.ts';
export type { CreateSessionOptions } from './state-store/create-session.ts';
export type { InterruptFlag } from './state-store/interrupt-flags.ts';
export type { MessagesPage, MessagesRange, TruncateOptions } from './state-store/messages.ts';
export type { CreateRunOptions } from './state-store/runs.ts';
export type { SavedState } from './state-store/save-state.ts';
export {
  SessionStateStoreFacade,
  createStateStoreFacade,
} from './state-store/session-state-store-facade.ts';
export type { FacadeOptions } from './state-store/session-state-store-facade.ts';
export type { Written } from './state-store/session-state-store.ts';
export type {
  CompletedClientToolCall,
  PendingClientToolCall,
} from './state-store/session-state.ts';
export type {
  CompareAndSetOptions,
  CompareAndSetResult,
  ExpectedStatus,
  SetStatusOptions,
} from './state-store/set-status.ts';
export type { PromoteOptions, Promoted, StagedChanges } from './state-store/staging.ts';
