import { HelixError } from '@helix-agents/core';

/** Why a sync ended. The first two are mistakes of the caller (exit code 2), the others of what was fetched or stored (1). */
export type SkillSyncErrorCode =
  | 'skills_usage_invalid'
  | 'skills_manifest_invalid'
  | 'skills_source_refused'
  | 'skills_fetch_failed'
  | 'skills_ref_moved'
  | 'skills_limit_exceeded'
  | 'skills_content_invalid'
  | 'skills_lock_invalid'
  | 'skills_out_of_date'
  | 'skills_write_failed';

export class SkillSyncError extends HelixError {
  override readonly name: string = 'SkillSyncError';
  declare readonly code: SkillSyncErrorCode;

  constructor(code: SkillSyncErrorCode, message: string, cause?: unknown) {
    super({ code, message, ...(cause !== undefined && { cause }) });
  }

  static override isInstance(value: unknown): value is SkillSyncError {
    return HelixError.isInstance(value) && value.name === 'SkillSyncError';
  }
}
