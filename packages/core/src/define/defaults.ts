export const DEFAULT_CLIENT_TOOL_TIMEOUT_MS = 300_000;
export const DEFAULT_APPROVAL_TIMEOUT_MS: number = 7 * 24 * 3_600_000;
/** How long a settled human call still answers `already_completed`. */
export const DEFAULT_TOMBSTONE_RETENTION_MS: number = 24 * 3_600_000;
export const DEFAULT_MAX_STEPS = 20;
